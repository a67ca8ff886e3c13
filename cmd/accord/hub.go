package main

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

// hubEnv names the environment variable with the path of the hub's kubeconfig.
const hubEnv = "ACCORD_KUBECONFIG"

// hubFlags say where the hub is: --hub-kubeconfig, else ACCORD_KUBECONFIG, else what kubectl would talk to.
type hubFlags struct {
	kubeconfig string
	context    string
	namespace  string
	// answer is how long the hub may take for one request; zero: answerTime.
	answer time.Duration
}

func (h *hubFlags) register(f *pflag.FlagSet) {
	f.StringVar(&h.kubeconfig, "hub-kubeconfig", "", "kubeconfig of the hub (default $"+hubEnv+", else as kubectl)")
	f.StringVar(&h.context, "hub-context", "", "context in the hub's kubeconfig (default its current one)")
}

// registerWithNamespace is register for commands that look at what lies in a namespace.
func (h *hubFlags) registerWithNamespace(f *pflag.FlagSet) {
	h.register(f)
	f.StringVarP(&h.namespace, "namespace", "n", "", "namespace of the federation (default that of the context)")
}

// A hub is a connection to the API server that has the kinds of accord.dev.
type hub struct {
	client.WithWatch
	config *rest.Config
	// namespace that was asked for, else the one of the context.
	namespace string
	// namespaceGiven is false when nobody asked for one.
	namespaceGiven bool
}

// connect reads the kubeconfig; it does not talk to the server yet.
func (h *hubFlags) connect() (*hub, error) {
	shareLogger(slog.New(slog.DiscardHandler))
	loader := kubeconfigLoader(h.path(), h.context)
	cfg, err := clientConfig(loader)
	if err != nil {
		return nil, fmt.Errorf("finding the hub: %w", err)
	}
	cfg.Wrap(answerWithin(cmp.Or(h.answer, answerTime)))
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme()})
	if err != nil {
		return nil, fmt.Errorf("connecting to the hub %s: %w", cfg.Host, err)
	}
	namespace := h.namespace
	if namespace == "" {
		if namespace, _, err = loader.Namespace(); err != nil {
			return nil, fmt.Errorf("reading the namespace of the hub's context: %w", err)
		}
	}
	return &hub{WithWatch: c, config: cfg, namespace: namespace, namespaceGiven: h.namespace != ""}, nil
}

// path of the kubeconfig that was asked for; empty when kubectl's rules decide.
func (h *hubFlags) path() string {
	if h.kubeconfig != "" {
		return h.kubeconfig
	}
	return os.Getenv(hubEnv)
}

// explain says which server did not give what was asked for, and notices one that is no hub.
func (h *hub) explain(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case apimeta.IsNoMatchError(err):
		return fmt.Errorf("this is not an accord hub (%s): it does not serve %s; start one with \"accord up\", or name it with --hub-kubeconfig or $%s",
			h.config.Host, v1alpha1.GroupVersion, hubEnv)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: interrupted", doing)
	}
	return fmt.Errorf("%s (hub %s): %w", doing, h.config.Host, err)
}

// scheme has the kinds that commands read and write.
func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // two kinds of one name: a mistake in the source, seen by every test
		}
	}
	return s
}

// accordNamespace is where accord keeps its things, on the hub and on members.
const accordNamespace = "accord-system"
