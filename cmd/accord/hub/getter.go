package hub

import (
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/accord-dev/accord/internal/version"
)

// Getter returns the access of kubectl's packages to a path on the hub, through wrappers of the transport. Requests have no time limit,
// because some of them follow a log.
func (h *Flags) Getter(namespace, path string, wrap ...transport.WrapperFunc) *genericclioptions.ConfigFlags {
	f := genericclioptions.NewConfigFlags(true)
	f.KubeConfig, f.Context, f.Impersonate, f.ImpersonateGroup = new(h.Path()), &h.Context, &h.as, &h.groups
	f.Namespace = &namespace
	return f.WithWrapConfigFn(func(cfg *rest.Config) *rest.Config {
		cfg.Host = strings.TrimSuffix(cfg.Host, "/") + path
		cfg.QPS, cfg.UserAgent = -1, "accord/"+version.Get().Version
		for _, w := range wrap {
			cfg.Wrap(w)
		}
		return cfg
	})
}
