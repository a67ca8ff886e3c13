// Package hub connects to the API server that has the kinds of accord.dev, finds objects on it and watches them.
package hub

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// KubeconfigEnv is the environment variable with the path of the hub's kubeconfig.
const KubeconfigEnv = "ACCORD_KUBECONFIG"

// Hub is a connection to the API server that serves accord.dev.
type Hub struct {
	client.WithWatch
	Config *rest.Config
	// Namespace is the requested namespace, else that of the context.
	Namespace string
	// NamespaceGiven reports whether a namespace was requested, AllNamespaces whether all were.
	NamespaceGiven, AllNamespaces bool

	// qualified reports whether names of federations need their namespace. Federations sets it.
	qualified bool
}

// ProxyPath returns the path on the hub that leads to the API server of a cluster.
func ProxyPath(cluster string) string {
	return "/apis/cluster.karmada.io/v1alpha1/clusters/" + cluster + "/proxy"
}

// errNoHub is in the error about a server that does not serve the kinds of accord.
var errNoHub = errors.New("this is not an accord hub")

// Wrap adds the address of the hub to an error, and explains errors of a server that is not a hub.
func (h *Hub) Wrap(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case apimeta.IsNoMatchError(err):
		return fmt.Errorf("%w (%s): it does not serve %s; start one with \"accord up\", or name it with --kubeconfig or $%s",
			errNoHub, h.Config.Host, v1alpha1.GroupVersion, KubeconfigEnv)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: interrupted", doing)
	}
	return fmt.Errorf("%s (hub %s): %w", doing, h.Config.Host, err)
}

// Scheme returns the kinds that commands read and write.
func Scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme, authenticationv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // two kinds of one name: a mistake in the source, seen by every test
		}
	}
	return s
}

// SystemNamespace is the namespace of accord's own objects, on the hub and on members.
const SystemNamespace = "accord-system"
