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
	// TokenKey and CABundleKey are Karmada's form (Karmada §1.8, §10.6). The bundle is PEM; it may be absent when
	// the API server has a certificate of a public authority, or with insecureSkipTLSVerification.
	TokenKey    = "token"
	CABundleKey = "caBundle"
	// caCertKey is how Kubernetes itself calls the bundle in the Secret of a service account.
	caCertKey = "ca.crt"
	// KubeconfigKey holds a whole kubeconfig, of which the current context is used.
	KubeconfigKey = "kubeconfig"
)

const userAgent = "accord"

// RESTConfig says how to reach a cluster, from its spec and the data of the Secret that spec.secretRef names. Errors are
// sentences for whoever declared the cluster: they name the field or key that is missing or wrong, and never contain
// a value of the Secret.
//
// A kubeconfig in the Secret wins over a token; spec.apiEndpoint, proxyURL and insecureSkipTLSVerification win over what
// it says. No client-side rate limit is set: the API server's own fairness decides. No overall timeout is set either,
// because it would end watches: see RequestTimeout.
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
	if err := throughProxy(cfg, c.Spec); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return cfg, nil
}

// identity is the address of the cluster and who we are there.
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

// checkEndpoint refuses what cannot be the URL of an API server (Karmada §1.8).
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

// throughProxy makes cfg connect through spec.proxyURL, sending spec.proxyHeader with CONNECT.
func throughProxy(cfg *rest.Config, spec v1alpha1.ClusterSpec) error {
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
		cfg.Wrap(announcing(spec.ProxyHeader))
	}
	return nil
}

// announcing sets the headers of CONNECT. The transport is not shared with other clusters: client-go does not
// reuse the transport of a configuration with a proxy. A value has several parts divided by commas (Karmada §1.8).
func announcing(headers map[string]string) func(http.RoundTripper) http.RoundTripper {
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
