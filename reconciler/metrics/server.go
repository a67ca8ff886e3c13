package metrics

import (
	"cmp"
	"crypto/tls"
	"net/http"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Options of the server of /metrics.
type Options struct {
	// Address to listen on; empty: metrics are off.
	Address string
	// Secure serves by TLS, and only to clients whose token the hub accepts (TokenReview) and allows to get /metrics
	// (SubjectAccessReview).
	Secure bool
	// CertDir has tls.crt and tls.key, read again when they change; empty: a certificate that the process signs for itself.
	CertDir string
}

// Register adds the flags.
func (o *Options) Register(f *pflag.FlagSet) {
	f.StringVar(&o.Address, "metrics-bind-address", "", "address of /metrics, host:port (default off)")
	f.BoolVar(&o.Secure, "metrics-secure", false, "serve /metrics by TLS, to clients whose token the hub allows to get /metrics")
	f.StringVar(&o.CertDir, "metrics-cert-dir", "", "directory of tls.crt and tls.key for --metrics-secure (default a self-signed certificate)")
}

// Server returns the options for controller-runtime, with the logger of refused clients.
func (o Options) Server(log logr.Logger) server.Options {
	s := server.Options{BindAddress: cmp.Or(o.Address, "0")} // "0" is no address
	if !o.Secure {
		return s
	}
	s.SecureServing, s.CertDir = true, o.CertDir
	s.TLSOpts = []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }} // a client of HTTP/2 can make much work with few bytes
	s.FilterProvider = func(hub *rest.Config, c *http.Client) (server.Filter, error) {
		filter, err := filters.WithAuthenticationAndAuthorization(hub, c)
		return func(_ logr.Logger, next http.Handler) (http.Handler, error) { return filter(log, next) }, err
	}
	return s
}
