// Package hub connects to the API server that has the kinds of accord.dev, finds objects on it and watches them.
package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// KubeconfigEnv is the environment variable with the path of the hub's kubeconfig.
const KubeconfigEnv = "ACCORD_KUBECONFIG"

// Flags select the hub: --kubeconfig, else ACCORD_KUBECONFIG, else kubectl's current context.
type Flags struct {
	Kubeconfig string
	Context    string
	namespace  string
	// Timeout limits one request; zero means RequestTimeout.
	Timeout time.Duration
}

func (h *Flags) Register(f *pflag.FlagSet) {
	f.StringVar(&h.Kubeconfig, "kubeconfig", "", "kubeconfig of the hub (default $"+KubeconfigEnv+", else as kubectl)")
	f.StringVar(&h.Context, "context", "", "context in the hub's kubeconfig (default the current one)")
}

// RegisterWithNamespace registers --namespace, too.
func (h *Flags) RegisterWithNamespace(f *pflag.FlagSet) {
	h.Register(f)
	f.StringVarP(&h.namespace, "namespace", "n", "", "namespace of the federation (default that of the context)")
}

// Hub is a connection to the API server that serves accord.dev.
type Hub struct {
	client.WithWatch
	Config *rest.Config
	// Namespace is the requested namespace, else that of the context.
	Namespace string
	// NamespaceGiven reports whether a namespace was requested.
	NamespaceGiven bool
}

// Connect reads the kubeconfig. It does not contact the server.
func (h *Flags) Connect() (*Hub, error) {
	SetLogger(slog.New(slog.DiscardHandler))
	loader := Loader(h.Path(), h.Context)
	cfg, err := ClientConfig(loader)
	if err != nil {
		return nil, fmt.Errorf("finding the hub: %w", err)
	}
	cfg.Wrap(withTimeout(cmp.Or(h.Timeout, RequestTimeout)))
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: Scheme()})
	if err != nil {
		return nil, fmt.Errorf("connecting to the hub %s: %w", cfg.Host, err)
	}
	namespace := h.namespace
	if namespace == "" {
		if namespace, _, err = loader.Namespace(); err != nil {
			return nil, fmt.Errorf("reading the namespace of the hub's context: %w", err)
		}
	}
	return &Hub{WithWatch: c, Config: cfg, Namespace: namespace, NamespaceGiven: h.namespace != ""}, nil
}

// Path returns the requested kubeconfig, and "" if kubectl's rules apply.
func (h *Flags) Path() string {
	if h.Kubeconfig != "" {
		return h.Kubeconfig
	}
	return os.Getenv(KubeconfigEnv)
}

// Wrap adds the address of the hub to an error, and explains errors of a server that is not a hub.
func (h *Hub) Wrap(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case apimeta.IsNoMatchError(err):
		return fmt.Errorf("this is not an accord hub (%s): it does not serve %s; start one with \"accord up\", or name it with --kubeconfig or $%s",
			h.Config.Host, v1alpha1.GroupVersion, KubeconfigEnv)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: interrupted", doing)
	}
	return fmt.Errorf("%s (hub %s): %w", doing, h.Config.Host, err)
}

// Scheme returns the kinds that commands read and write.
func Scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // two kinds of one name: a mistake in the source, seen by every test
		}
	}
	return s
}

// SystemNamespace is the namespace of accord's own objects, on the hub and on members.
const SystemNamespace = "accord-system"
