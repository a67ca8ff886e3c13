package register

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/charts"
)

const (
	agentName     = registration.AgentName
	hubSecret     = registration.HubSecret
	kubeconfigKey = registration.KubeconfigKey
)

// namespace returns the namespace of the agent.
func namespace() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: charts.AgentNamespace, Labels: map[string]string{registration.ManagedByLabel: registration.ManagedBy},
	}}
}

// manifests returns what "accord register" prints: the chart of the agent with the values of the flags.
func (o *Options) manifests() (string, error) {
	v, err := o.values()
	if err != nil {
		return "", err
	}
	v.Namespace.Create = true
	return charts.Agent(v)
}

// values returns the values of the chart of the agent.
func (o *Options) values() (*charts.AgentValues, error) {
	v, err := charts.AgentDefaults()
	if err != nil {
		return nil, fmt.Errorf("reading the built-in values of the agent: %w", err)
	}
	v.Image, v.Cluster, v.CacheDir = o.Image, o.Cluster, o.CacheDir
	v.Rights = charts.Rights{Admin: o.Admin, Secrets: o.Secrets, CRDs: o.CRDs}
	v.Tunnel = charts.Tunnel{Switch: charts.Switch{Enabled: !o.Tunnel.Off}, Users: o.Tunnel.Users, Groups: o.Tunnel.Groups}
	if o.Manifests {
		v.Hub = charts.Hub{URL: o.Hub, CACertHashes: o.Pins, SkipCAVerification: o.SkipPins, Token: o.Token}
		v.Region, v.Provider, v.Zones = o.Traits.Region, o.Traits.Provider, o.Traits.Zones
	}
	return v, nil
}

// objects returns the objects of the agent in the cluster in the order of their creation, without the namespace. kubeconfig leads to the
// hub; nil leaves it out.
func (o *Options) objects(kubeconfig []byte) ([]client.Object, error) {
	v, err := o.values()
	if err != nil {
		return nil, err
	}
	text, err := charts.Agent(v)
	if err != nil {
		return nil, err
	}
	var all []client.Object
	for document := range strings.SplitSeq(text, "\n---\n") {
		object, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
		if err != nil {
			return nil, fmt.Errorf("reading the built-in manifests of the agent: %w", err)
		}
		if s, is := object.(*corev1.Secret); is && s.Name == hubSecret && kubeconfig != nil {
			s.Data = map[string][]byte{kubeconfigKey: kubeconfig}
		}
		all = append(all, object.(client.Object))
	}
	return all, nil
}
