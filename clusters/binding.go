package clusters

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// CredentialsError is the error of a Cluster that must not use the Secret that it names. accord sends nothing to the cluster.
type CredentialsError struct{ Message string }

func (e *CredentialsError) Error() string { return e.Message }

func refuse(c *v1alpha1.Cluster, format string, args ...any) error {
	return &CredentialsError{fmt.Sprintf("cluster "+c.Name+": "+format, args...)}
}

// CheckSecretRef returns a CredentialsError if spec.secretRef is absent or leads out of the namespace for credentials. Call
// it before the Secret is read.
func CheckSecretRef(c *v1alpha1.Cluster, namespace string) error {
	ref := c.Spec.SecretRef
	switch {
	case c.Spec.SyncMode == v1alpha1.SyncModePull:
		return refuse(c, "spec.syncMode is Pull: its agent connects to the hub, and accord does not connect to the cluster")
	case ref == nil:
		return refuse(c, "spec.secretRef is not set; it names the Secret with the credentials, which \"accord join %s\" writes", c.Name)
	case ref.Namespace != namespace:
		return refuse(c, "spec.secretRef names the Secret %s/%s, and accord reads credentials of clusters in namespace %s only; move the Secret there (--secrets-namespace of \"accord run\")",
			ref.Namespace, ref.Name, namespace)
	}
	return nil
}

// checkBinding returns a CredentialsError unless the Secret is made for this Cluster.
func checkBinding(c *v1alpha1.Cluster, secret *corev1.Secret) error {
	name := secret.Namespace + "/" + secret.Name
	if secret.Type != SecretType {
		return refuse(c, "the Secret %s has the type %q, and the credentials of a cluster have the type %q; \"accord join %s\" writes such a Secret",
			name, secret.Type, SecretType, c.Name)
	}
	if of := string(secret.Data[ClusterKey]); of != c.Name {
		return refuse(c, "the Secret %s is for the cluster %q (key %q); correct spec.secretRef", name, of, ClusterKey)
	}
	return nil
}

// target is the place to which the credentials of a Secret may be sent.
type target struct {
	config   *rest.Config
	proxyURL string
}

// readTarget reads the data of a Secret.
func readTarget(data map[string][]byte) (target, error) {
	if len(data[KubeconfigKey]) > 0 {
		for _, key := range []string{ServerKey, ProxyURLKey, InsecureKey, TokenKey, CABundleKey} {
			if len(data[key]) > 0 {
				return target{}, fmt.Errorf("the keys %q and %q are mutually exclusive", KubeconfigKey, key)
			}
		}
		return fromKubeconfig(data[KubeconfigKey])
	}
	if len(data[TokenKey]) == 0 {
		return target{}, fmt.Errorf("it has neither the key %q (with %q and %q) nor the key %q", TokenKey, ServerKey, CABundleKey, KubeconfigKey)
	}
	server := string(data[ServerKey])
	if err := checkServer(server); err != nil {
		return target{}, err
	}
	cfg := &rest.Config{
		Host: server, BearerToken: strings.TrimSpace(string(data[TokenKey])),
		TLSClientConfig: rest.TLSClientConfig{CAData: data[CABundleKey]},
	}
	switch v := string(data[InsecureKey]); v {
	case "true":
		cfg.Insecure, cfg.CAData = true, nil
	case "", "false":
	default:
		return target{}, fmt.Errorf("the key %q is neither \"true\" nor \"false\"", InsecureKey)
	}
	return target{config: cfg, proxyURL: string(data[ProxyURLKey])}, nil
}

// check returns a CredentialsError if the Cluster leads elsewhere than the Secret.
func (t target) check(c *v1alpha1.Cluster) error {
	s := c.Spec
	name := s.SecretRef.Namespace + "/" + s.SecretRef.Name
	const fix = "; correct the Cluster, or the Secret if the cluster has moved"
	switch {
	case s.APIEndpoint != "" && !sameURL(s.APIEndpoint, t.config.Host):
		return refuse(c, "spec.apiEndpoint is %s, and the Secret %s is for the server %s"+fix, s.APIEndpoint, name, t.config.Host)
	case s.ProxyURL != "" && t.proxyURL == "":
		return refuse(c, "spec.proxyURL is set, and the Secret %s has no proxy"+fix, name)
	case s.ProxyURL != "" && !sameURL(s.ProxyURL, t.proxyURL):
		return refuse(c, "spec.proxyURL and the Secret %s name different proxies"+fix, name) // a proxy may have a password
	case s.InsecureSkipTLSVerification && !t.config.Insecure:
		return refuse(c, "spec.insecureSkipTLSVerification is true, and the Secret %s does not allow this"+fix, name)
	}
	return nil
}

// checkServer reports an error unless server can be the URL of an API server (Karmada §1.8).
func checkServer(server string) error {
	if server == "" {
		return fmt.Errorf(`the key %q is missing; it is the URL of the API server, "https://host:port"`, ServerKey)
	}
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New(`its server is not the URL of an API server, "https://host:port"`)
	}
	return nil
}

// sameURL reports whether two URLs lead to the same place: letter case of the host, a default port and a final "/" do not count.
func sameURL(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	if errX != nil || errY != nil {
		return a == b
	}
	return canonical(x) == canonical(y)
}

func canonical(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	user := ""
	if u.User != nil {
		user = u.User.String() + "@"
	}
	return u.Scheme + "://" + user + strings.ToLower(u.Hostname()) + ":" + port + strings.TrimRight(u.EscapedPath(), "/") + "?" + u.RawQuery + "#" + u.Fragment
}
