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

	"github.com/accord-dev/accord/cmd/accord/text"
)

// Loader reads the file at path, or, when path is empty, what kubectl would read. An empty
// context is the current one.
func Loader(path, context string) clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
}

// ClientConfig is the configuration of the loader's context, without a client-side rate limit: the API
// server's own fairness decides.
func ClientConfig(loader clientcmd.ClientConfig) (*rest.Config, error) {
	cfg, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("no kubeconfig was given, and kubectl would find none either")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	cfg.QPS = -1
	cfg.UserAgent = "accord/" + text.Version()
	return cfg, nil
}

// SetLogger gives the Kubernetes libraries log. Commands that only print give them a discarding one.
func SetLogger(log *slog.Logger) {
	l := logr.FromSlogHandler(log.Handler())
	klog.SetLoggerWithOptions(l.WithName("client"), klog.ContextualLogger(true))
	ctrl.SetLogger(l)
}
