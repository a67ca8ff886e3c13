package clusters

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// SecretType is the type of the Secret that spec.secretRef names. accord reads credentials of clusters from no other Secret.
const SecretType corev1.SecretType = "accord.dev/cluster"

// Keys of the Secret that spec.secretRef names. The Secret, and not the Cluster, decides where its credentials are sent.
const (
	// ClusterKey is the name of the Cluster that may use the Secret.
	ClusterKey = "cluster"
	// ServerKey is the URL of the API server, "https://host:port".
	ServerKey = "server"
	// ProxyURLKey is the proxy through which accord connects to the API server. It may be absent.
	ProxyURLKey = "proxyURL"
	// InsecureKey is "true" if accord accepts any certificate of the API server. It may be absent.
	InsecureKey = "insecureSkipTLSVerification"
	// TokenKey and CABundleKey are Karmada's keys (Karmada §1.8, §10.6). The bundle is PEM. It may be absent if a
	// public authority signed the API server's certificate, or with InsecureKey.
	TokenKey    = "token"
	CABundleKey = "caBundle"
	// KubeconfigKey holds a complete kubeconfig; its current context is used. It excludes all keys but ClusterKey: server,
	// proxy-url and insecure-skip-tls-verify of the kubeconfig decide.
	KubeconfigKey = "kubeconfig"
)

const userAgent = "accord"

// RESTConfig returns the client configuration of a cluster, from its Cluster and the Secret that spec.secretRef names.
// namespace is the only one whose Secrets are accepted. Errors name the missing or wrong field or key and never contain
// a token or a kubeconfig.
//
// The Secret decides the server, the proxy and the verification of TLS. spec.apiEndpoint, proxyURL and
// insecureSkipTLSVerification may be absent; RESTConfig returns a CredentialsError if one of them differs from the Secret.
//
// There is no client-side rate limit, because API servers have API Priority and Fairness. There is no overall timeout,
// because a timeout would end watches: see RequestTimeout.
func RESTConfig(c *v1alpha1.Cluster, secret *corev1.Secret, namespace string) (*rest.Config, error) {
	if err := CheckSecretRef(c, namespace); err != nil {
		return nil, err
	}
	if err := checkBinding(c, secret); err != nil {
		return nil, err
	}
	t, err := readTarget(secret.Data)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: the Secret %s/%s: %w", c.Name, c.Spec.SecretRef.Namespace, c.Spec.SecretRef.Name, err)
	}
	if err := t.check(c); err != nil {
		return nil, err
	}
	cfg := t.config
	cfg.QPS = -1
	cfg.UserAgent = userAgent
	if err := setProxy(cfg, t.proxyURL, c.Spec.ProxyHeader); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return cfg, nil
}

// setProxy makes cfg connect through the proxy of the Secret, and send spec.proxyHeader with CONNECT.
func setProxy(cfg *rest.Config, proxyURL string, header map[string]string) error {
	if proxyURL == "" {
		if len(header) > 0 {
			return errors.New("spec.proxyHeader is set, and the Secret has no proxy")
		}
		return nil
	}
	u, err := url.Parse(proxyURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" {
		return errors.New("the proxy in the Secret is not the URL of a proxy: http://, https:// or socks5:// with a host")
	}
	cfg.Proxy = http.ProxyURL(u)
	if len(header) > 0 {
		cfg.Wrap(setConnectHeaders(header))
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
