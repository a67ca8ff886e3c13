package hub

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/accord-dev/accord/internal/version"
)

// Loader reads the kubeconfig at path, or kubectl's default one if path is empty. An empty context is the current one.
func Loader(path, context string) clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
}

// ClientConfig returns the configuration of the loader's context, without a client-side rate limit: the API server's priority
// and fairness applies.
func ClientConfig(loader clientcmd.ClientConfig) (*rest.Config, error) {
	cfg, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("no kubeconfig found: set --kubeconfig or $KUBECONFIG")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	cfg.QPS = -1
	cfg.UserAgent = "accord/" + version.Get().Version
	return cfg, nil
}

// SetLogger sets the logger of the Kubernetes libraries for the whole process, which must not use them yet.
func SetLogger(log *slog.Logger) {
	klog.SetLoggerWithOptions(logr.FromSlogHandler(ofLibraries(log.Handler())).WithName("client"), klog.ContextualLogger(true))
	ctrl.SetLogger(logr.FromSlogHandler(log.Handler()))
}
