package charts

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// AgentNamespace is the namespace of the agent, the only one that its chart accepts.
const AgentNamespace = "accord-system"

// AgentValues are those of the chart of the agent. charts/accord-agent/values.yaml describes them.
type AgentValues struct {
	Image     string                      `json:"image"`
	Cluster   string                      `json:"cluster"`
	Namespace Namespace                   `json:"namespace"`
	Hub       Hub                         `json:"hub"`
	Region    string                      `json:"region"`
	Provider  string                      `json:"provider"`
	Zones     []string                    `json:"zones"`
	Rights    Rights                      `json:"rights"`
	Tunnel    Tunnel                      `json:"tunnel"`
	CacheDir  string                      `json:"cacheDir"`
	Resources corev1.ResourceRequirements `json:"resources"`
}

// Hub leads the agent to the hub at which it registers its cluster. Without a URL, a Secret has the kubeconfig of the hub.
type Hub struct {
	URL                string   `json:"url"`
	CACertHashes       []string `json:"caCertHashes"`
	SkipCAVerification bool     `json:"skipCAVerification"`
	Token              string   `json:"token"`
}

// Rights are those of the agent beside the default ones.
type Rights struct {
	Admin   bool `json:"admin"`
	Secrets bool `json:"secrets"`
	CRDs    bool `json:"crds"`
}

// Tunnel says for whom the agent acts on the cluster.
type Tunnel struct {
	Switch
	Users  []string `json:"users"`
	Groups []string `json:"groups"`
}

// AgentDefaults returns the values of the chart of the agent.
func AgentDefaults() (*AgentValues, error) {
	text, err := templates.ReadFile("accord-agent/values.yaml")
	if err != nil {
		return nil, err
	}
	v := &AgentValues{}
	return v, yaml.UnmarshalStrict(text, v)
}

// Agent returns the manifests of the chart accord-agent as YAML documents, as Helm makes them.
func Agent(v *AgentValues) (string, error) { return manifests("accord-agent", AgentNamespace, v) }
