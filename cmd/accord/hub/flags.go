package hub

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Flags select the hub, as kubectl's flags do: --kubeconfig, else ACCORD_KUBECONFIG, else kubectl's current context.
type Flags struct {
	Kubeconfig string
	Context    string
	// Timeout limits one request; zero means RequestTimeout.
	Timeout time.Duration

	namespace     string
	allNamespaces bool
	as            string
	groups        []string
}

// Register registers the flags of the connection. --namespace has another meaning in commands that need no more.
func (h *Flags) Register(f *pflag.FlagSet) {
	f.StringVar(&h.Kubeconfig, "kubeconfig", "", "kubeconfig of the hub (default $"+KubeconfigEnv+", else as kubectl)")
	f.StringVar(&h.Context, "context", "", "context in the hub's kubeconfig (default the current one)")
	f.StringVar(&h.as, "as", "", "user or service account to impersonate on the hub")
	f.StringArrayVar(&h.groups, "as-group", nil, "group to impersonate on the hub (repeatable)")
	f.DurationVar(&h.Timeout, "request-timeout", RequestTimeout, "time limit of one request to the hub")
}

// RegisterWithNamespace registers the flags of the connection and of the namespace.
func (h *Flags) RegisterWithNamespace(f *pflag.FlagSet) {
	h.Register(f)
	h.RegisterNamespace(f)
}

// RegisterNamespace registers --namespace and --all-namespaces alone.
func (h *Flags) RegisterNamespace(f *pflag.FlagSet) {
	f.StringVarP(&h.namespace, "namespace", "n", "", "namespace of the federation (default that of the context)")
	f.BoolVarP(&h.allNamespaces, "all-namespaces", "A", false, "federations of all namespaces")
}

// SetNamespace selects a namespace in place of the flags, or all.
func (h *Flags) SetNamespace(namespace string, all bool) {
	h.namespace, h.allNamespaces = namespace, all
}

// Connect reads the kubeconfig. It does not contact the server.
func (h *Flags) Connect() (*Hub, error) {
	switch {
	case h.namespace != "" && h.allNamespaces:
		return nil, errors.New("--namespace and --all-namespaces are mutually exclusive")
	case h.as == "" && len(h.groups) > 0:
		return nil, errors.New("--as-group requires --as")
	case h.Timeout < 0:
		return nil, errors.New("--request-timeout must be positive")
	}
	loader := Loader(h.Path(), h.Context)
	cfg, err := ClientConfig(loader)
	if err != nil {
		return nil, fmt.Errorf("finding the hub: %w", err)
	}
	if h.as != "" {
		cfg.Impersonate = rest.ImpersonationConfig{UserName: h.as, Groups: h.groups}
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
	return &Hub{WithWatch: c, Config: cfg, Namespace: namespace, NamespaceGiven: h.namespace != "", AllNamespaces: h.allNamespaces}, nil
}

// Path returns the requested kubeconfig, and "" if kubectl's rules apply.
func (h *Flags) Path() string {
	if h.Kubeconfig != "" {
		return h.Kubeconfig
	}
	return os.Getenv(KubeconfigEnv)
}
