package clusters

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func cluster(change func(*v1alpha1.ClusterSpec)) *v1alpha1.Cluster {
	c := &v1alpha1.Cluster{}
	c.Name = "eu"
	c.Spec.APIEndpoint = "https://eu.example.com:6443"
	c.Spec.SecretRef = &v1alpha1.SecretRef{Namespace: "accord", Name: "eu"}
	if change != nil {
		change(&c.Spec)
	}
	return c
}

// kubeconfig has one context, whose user and cluster are given as YAML flow maps.
func kubeconfig(user, cluster string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {user: u, cluster: k}}]
users: [{name: u, user: %s}]
clusters: [{name: k, cluster: %s}]
`, user, cluster)
}

func TestCredentials(t *testing.T) {
	token := map[string][]byte{"token": []byte("abc\n"), "caBundle": []byte("PEM")}
	cfg, err := RESTConfig(cluster(nil), token)
	require.NoError(t, err)
	require.Equal(t, "https://eu.example.com:6443", cfg.Host)
	require.Equal(t, "abc", cfg.BearerToken)
	require.Equal(t, "PEM", string(cfg.CAData))
	require.Equal(t, float32(-1), cfg.QPS)
	require.Equal(t, "accord", cfg.UserAgent)
	require.Zero(t, cfg.Timeout, "it would end watches")

	cfg, err = RESTConfig(cluster(nil), map[string][]byte{"token": []byte("abc"), "ca.crt": []byte("PEM")})
	require.NoError(t, err)
	require.Equal(t, "PEM", string(cfg.CAData))

	cfg, err = RESTConfig(cluster(func(s *v1alpha1.ClusterSpec) { s.InsecureSkipTLSVerification = true }), token)
	require.NoError(t, err)
	require.True(t, cfg.Insecure)
	require.Empty(t, cfg.CAData)

	config := map[string][]byte{"kubeconfig": kubeconfig("{token: xyz}", "{server: 'https://from.kubeconfig'}")}
	cfg, err = RESTConfig(cluster(func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "" }), config)
	require.NoError(t, err)
	require.Equal(t, "https://from.kubeconfig", cfg.Host)
	require.Equal(t, "xyz", cfg.BearerToken)
	cfg, err = RESTConfig(cluster(nil), config)
	require.NoError(t, err)
	require.Equal(t, "https://eu.example.com:6443", cfg.Host, "the spec wins")
}

func TestWrongCredentials(t *testing.T) {
	token := map[string][]byte{"token": []byte("sesame")}
	server := "{server: 'https://from.kubeconfig'}"
	for name, c := range map[string]struct {
		spec   func(*v1alpha1.ClusterSpec)
		secret map[string][]byte
		want   string
	}{
		"no secretRef":        {func(s *v1alpha1.ClusterSpec) { s.SecretRef = nil }, token, "spec.secretRef is not set"},
		"no key":              {nil, map[string][]byte{"tokn": nil}, `the Secret accord/eu has neither the key "token"`},
		"no endpoint":         {func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "" }, token, "spec.apiEndpoint is not set"},
		"no https":            {func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "http://eu" }, token, `spec.apiEndpoint "http://eu" is not`},
		"proxy of no kind":    {func(s *v1alpha1.ClusterSpec) { s.ProxyURL = "ftp://p" }, token, "spec.proxyURL"},
		"header for no proxy": {func(s *v1alpha1.ClusterSpec) { s.ProxyHeader = map[string]string{"A": "b"} }, token, "spec.proxyHeader"},
		"no kubeconfig":       {nil, map[string][]byte{"kubeconfig": []byte("{sesame")}, `the key "kubeconfig"`},
		"no context":          {nil, map[string][]byte{"kubeconfig": []byte("current-context: x")}, `no context "x"`},
		"exec plugin":         {nil, map[string][]byte{"kubeconfig": kubeconfig("{exec: {apiVersion: client.authentication.k8s.io/v1, command: sesame}}", server)}, "exec plugins are not run"},
		"auth provider":       {nil, map[string][]byte{"kubeconfig": kubeconfig("{auth-provider: {name: gcp}}", server)}, "auth-provider"},
		"file":                {nil, map[string][]byte{"kubeconfig": kubeconfig("{tokenFile: /etc/sesame}", server)}, "it refers to files"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := RESTConfig(cluster(c.spec), c.secret)
			require.ErrorContains(t, err, "cluster eu: ")
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "sesame")
		})
	}
}

func TestProxyIsUsedWithItsHeader(t *testing.T) {
	got := make(chan *http.Request, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r
		http.Error(w, "closed", http.StatusForbidden)
	}))
	defer proxy.Close()
	cfg, err := RESTConfig(cluster(func(s *v1alpha1.ClusterSpec) {
		s.ProxyURL, s.ProxyHeader = proxy.URL, map[string]string{"X-Team": "a, b"}
	}), map[string][]byte{"token": []byte("abc")})
	require.NoError(t, err)
	_, err = Probe(t.Context(), connect(t, cfg))
	require.Error(t, err)
	r := <-got
	require.Equal(t, http.MethodConnect, r.Method)
	require.Equal(t, "eu.example.com:6443", r.Host)
	require.Equal(t, []string{"a", "b"}, r.Header.Values("X-Team"))
}
