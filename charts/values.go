package charts

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/egress"
)

// Values are those of the chart. charts/accord/values.yaml describes them.
type Values struct {
	Image               string                      `json:"image"`
	Replicas            int                         `json:"replicas"`
	Namespace           Namespace                   `json:"namespace"`
	SecretsFrom         []string                    `json:"secretsFrom"`
	SecretsNamespace    string                      `json:"secretsNamespace"`
	AllowSourceNetworks []string                    `json:"allowSourceNetworks"`
	WebhookProxies      []string                    `json:"webhookProxies"`
	RegisterClusters    bool                        `json:"registerClusters"`
	DeclareFederations  bool                        `json:"declareFederations"`
	Resources           corev1.ResourceRequirements `json:"resources"`
	CacheSizeLimit      resource.Quantity           `json:"cacheSizeLimit"`
	// CacheVolume is the size of a PersistentVolumeClaim for the cache directory; empty: it is an emptyDir of each pod.
	CacheVolume         string         `json:"cacheVolume"`
	NetworkPolicy       Switch         `json:"networkPolicy"`
	PodDisruptionBudget Switch         `json:"podDisruptionBudget"`
	ServiceMonitor      ServiceMonitor `json:"serviceMonitor"`
	Ingress             Ingress        `json:"ingress"`
}

// Namespace says whether the namespace is one of the manifests.
type Namespace struct {
	Create bool `json:"create"`
}

// Switch turns a manifest on.
type Switch struct {
	Enabled bool `json:"enabled"`
}

// ServiceMonitor has the Prometheus operator scrape accord.
type ServiceMonitor struct {
	Switch
	Labels map[string]string `json:"labels"`
}

// Ingress publishes the webhook.
type Ingress struct {
	Switch
	ClassName   string            `json:"className"`
	Host        string            `json:"host"`
	TLSSecret   string            `json:"tlsSecret"`
	Annotations map[string]string `json:"annotations"`
}

// Defaults returns the values of the chart.
func Defaults() (*Values, error) {
	text, err := templates.ReadFile("accord/values.yaml")
	if err != nil {
		return nil, err
	}
	v := &Values{}
	return v, v.Merge(text)
}

// Merge replaces the values that a file in the form of values.yaml has.
func (v *Values) Merge(text []byte) error { return yaml.UnmarshalStrict(text, v) }

// check returns an error for values that would make other manifests than those of the chart.
func (v *Values) check(namespace string) error {
	for _, ns := range append([]string{namespace}, v.SecretsFrom...) {
		if err := valid(validation.IsDNS1123Label, "namespace", ns); err != nil {
			return err
		}
	}
	if _, err := reference.ParseNormalizedNamed(v.Image); err != nil {
		return fmt.Errorf("--image %q: %w", v.Image, err)
	}
	for _, text := range append(v.AllowSourceNetworks, v.WebhookProxies...) {
		if err := new(egress.Networks).Set(text); err != nil {
			return fmt.Errorf("network %q: %w", text, err)
		}
	}
	if v.SecretsNamespace != "" {
		if err := valid(validation.IsDNS1123Label, "namespace", v.SecretsNamespace); err != nil {
			return err
		}
	}
	if v.CacheVolume != "" {
		if size, err := resource.ParseQuantity(v.CacheVolume); err != nil || size.Sign() <= 0 {
			return fmt.Errorf("--cache-volume %q: expected a size such as 8Gi", v.CacheVolume)
		}
	}
	if v.Replicas < 1 {
		return fmt.Errorf("replicas %d: at least 1 is necessary", v.Replicas)
	}
	return v.Ingress.check()
}

func (i Ingress) check() error {
	if !i.Enabled {
		return nil
	}
	if i.Host == "" || i.TLSSecret == "" {
		return errors.New("ingress.enabled requires ingress.host and ingress.tlsSecret")
	}
	for field, text := range map[string]string{"host": i.Host, "tlsSecret": i.TLSSecret, "className": i.ClassName} {
		if text == "" {
			continue
		}
		if err := valid(validation.IsDNS1123Subdomain, "ingress."+field, text); err != nil {
			return err
		}
	}
	return nil
}

func valid(check func(string) []string, field, text string) error {
	if wrong := check(text); len(wrong) > 0 {
		return fmt.Errorf("%s %q: %s", field, text, strings.Join(wrong, "; "))
	}
	return nil
}

// treeOf returns values as the templates read them.
func treeOf(values any) (map[string]any, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	return tree, json.Unmarshal(text, &tree)
}
