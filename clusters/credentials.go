package clusters

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Keys of the Secret that spec.secretRef names.
const (
	// TokenKey and CABundleKey are Karmada's keys (Karmada §1.8, §10.6). The bundle is PEM. It may be absent if a
	// public authority signed the API server's certificate, or with insecureSkipTLSVerification.
	TokenKey    = "token"
	CABundleKey = "caBundle"
	// caCertKey is the key of the bundle in a Secret of type kubernetes.io/service-account-token.
	caCertKey = "ca.crt"
	// KubeconfigKey holds a complete kubeconfig; its current context is used.
	KubeconfigKey = "kubeconfig"
)

const userAgent = "accord"

// RESTConfig returns the client configuration of a cluster, from its spec and the data of the Secret that
// spec.secretRef names. Errors name the missing or wrong field or key and never contain a value of the Secret.
//
// A kubeconfig in the Secret takes precedence over a token; spec.apiEndpoint, proxyURL and
// insecureSkipTLSVerification take precedence over the kubeconfig. There is no client-side rate limit, because API
// servers have API Priority and Fairness. There is no overall timeout, because a timeout would end watches: see
// RequestTimeout.
func RESTConfig(c *v1alpha1.Cluster, secret map[string][]byte) (*rest.Config, error) {
	cfg, err := identity(c, secret)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	cfg.QPS = -1
	cfg.UserAgent = userAgent
	if c.Spec.InsecureSkipTLSVerification {
		cfg.Insecure, cfg.CAData = true, nil
	}
	if err := setProxy(cfg, c.Spec); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return cfg, nil
}

// identity returns a configuration with the address of the cluster and the credentials.
func identity(c *v1alpha1.Cluster, secret map[string][]byte) (*rest.Config, error) {
	switch {
	case c.Spec.SecretRef == nil:
		return nil, errors.New("spec.secretRef is not set; it names the Secret with either token and caBundle, or kubeconfig")
	case len(secret[KubeconfigKey]) > 0:
		return fromKubeconfig(c, secret[KubeconfigKey])
	case len(secret[TokenKey]) == 0:
		return nil, fmt.Errorf("the Secret %s/%s has neither the key %q (with %q) nor the key %q",
			c.Spec.SecretRef.Namespace, c.Spec.SecretRef.Name, TokenKey, CABundleKey, KubeconfigKey)
	}
	if err := checkEndpoint(c.Spec.APIEndpoint); err != nil {
		return nil, err
	}
	bundle := secret[CABundleKey]
	if len(bundle) == 0 {
		bundle = secret[caCertKey]
	}
	return &rest.Config{
		Host:            c.Spec.APIEndpoint,
		BearerToken:     strings.TrimSpace(string(secret[TokenKey])),
		TLSClientConfig: rest.TLSClientConfig{CAData: bundle},
	}, nil
}

// checkEndpoint reports an error unless endpoint can be the URL of an API server (Karmada §1.8).
func checkEndpoint(endpoint string) error {
	if endpoint == "" {
		return errors.New(`spec.apiEndpoint is not set; it is the URL of the API server, "https://host:port"`)
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf(`spec.apiEndpoint %q is not the URL of an API server, "https://host:port"`, endpoint)
	}
	return nil
}

// setProxy makes cfg connect through spec.proxyURL and send spec.proxyHeader with CONNECT.
func setProxy(cfg *rest.Config, spec v1alpha1.ClusterSpec) error {
	if spec.ProxyURL == "" {
		if len(spec.ProxyHeader) > 0 {
			return errors.New("spec.proxyHeader is set without spec.proxyURL")
		}
		return nil
	}
	u, err := url.Parse(spec.ProxyURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" {
		return errors.New("spec.proxyURL is not the URL of a proxy: http://, https:// or socks5:// with a host")
	}
	cfg.Proxy = http.ProxyURL(u)
	if len(spec.ProxyHeader) > 0 {
		cfg.Wrap(setConnectHeaders(spec.ProxyHeader))
	}
	return nil
}

// setConnectHeaders sets the headers of CONNECT. Other clusters do not share the transport: client-go does not reuse the
// transport of a configuration with a proxy. Commas separate the values of one header (Karmada §1.8).
func setConnectHeaders(headers map[string]string) func(http.RoundTripper) http.RoundTripper {
	return func(rt http.RoundTripper) http.RoundTripper {
		if t, ok := rt.(*http.Transport); ok {
			t.ProxyConnectHeader = http.Header{}
			for name, values := range headers {
				for value := range strings.SplitSeq(values, ",") {
					t.ProxyConnectHeader.Add(name, strings.TrimSpace(value))
				}
			}
		}
		return rt
	}
}
