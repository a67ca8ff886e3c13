package clusters

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

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

// secret returns the Secret of cluster eu with more keys; an empty value removes a key.
func secret(keys map[string]string) *corev1.Secret {
	s := &corev1.Secret{Type: SecretType}
	s.Namespace, s.Name = "accord", "eu"
	s.Data = map[string][]byte{"cluster": []byte("eu"), "server": []byte("https://eu.example.com:6443"), "token": []byte("sesame\n"), "caBundle": []byte("PEM")}
	for k, v := range keys {
		if s.Data[k] = []byte(v); v == "" {
			delete(s.Data, k)
		}
	}
	return s
}

// inKubeconfig returns the Secret of cluster eu with a kubeconfig.
func inKubeconfig(user, cluster string) *corev1.Secret {
	return secret(map[string]string{"server": "", "token": "", "caBundle": "", "kubeconfig": string(kubeconfig(user, cluster))})
}

func TestCredentials(t *testing.T) {
	cfg, err := RESTConfig(cluster(nil), secret(nil), "accord")
	require.NoError(t, err)
	require.Equal(t, "https://eu.example.com:6443", cfg.Host)
	require.Equal(t, "sesame", cfg.BearerToken)
	require.Equal(t, "PEM", string(cfg.CAData))
	require.Equal(t, float32(-1), cfg.QPS)
	require.Equal(t, "accord", cfg.UserAgent)
	require.Zero(t, cfg.Timeout, "it would end watches")
	require.False(t, cfg.Insecure)

	cfg, err = RESTConfig(cluster(func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "https://EU.example.com:6443/" }), secret(nil), "accord")
	require.NoError(t, err, "another spelling of the same server")
	require.Equal(t, "https://eu.example.com:6443", cfg.Host)

	cfg, err = RESTConfig(cluster(func(s *v1alpha1.ClusterSpec) { s.InsecureSkipTLSVerification = true }), secret(map[string]string{"insecureSkipTLSVerification": "true"}), "accord")
	require.NoError(t, err)
	require.True(t, cfg.Insecure)
	require.Empty(t, cfg.CAData)

	absent := cluster(func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "" })
	cfg, err = RESTConfig(absent, secret(nil), "accord")
	require.NoError(t, err)
	require.Equal(t, "https://eu.example.com:6443", cfg.Host, "the Secret has the server")
	cfg, err = RESTConfig(absent, inKubeconfig("{token: xyz}", "{server: 'https://from.kubeconfig'}"), "accord")
	require.NoError(t, err)
	require.Equal(t, "https://from.kubeconfig", cfg.Host)
	require.Equal(t, "xyz", cfg.BearerToken)
}

func TestWrongCredentials(t *testing.T) {
	server := "{server: 'https://eu.example.com:6443'}"
	for name, c := range map[string]struct {
		spec   func(*v1alpha1.ClusterSpec)
		secret *corev1.Secret
		want   string
	}{
		"no key":              {nil, secret(map[string]string{"token": ""}), `the Secret accord/eu: it has neither the key "token"`},
		"no server":           {nil, secret(map[string]string{"server": ""}), `the key "server" is missing`},
		"no https":            {nil, secret(map[string]string{"server": "http://eu"}), "its server is not the URL"},
		"no boolean":          {nil, secret(map[string]string{"insecureSkipTLSVerification": "yes"}), `neither "true" nor "false"`},
		"proxy of no kind":    {nil, secret(map[string]string{"proxyURL": "ftp://p"}), "is not the URL of a proxy"},
		"header for no proxy": {func(s *v1alpha1.ClusterSpec) { s.ProxyHeader = map[string]string{"A": "b"} }, secret(nil), "spec.proxyHeader"},
		"two kinds":           {nil, secret(map[string]string{"kubeconfig": "{sesame"}), `the keys "kubeconfig" and "server" are mutually exclusive`},
		"no kubeconfig":       {nil, secret(map[string]string{"server": "", "token": "", "caBundle": "", "kubeconfig": "{sesame"}), `the key "kubeconfig"`},
		"no context":          {nil, secret(map[string]string{"server": "", "token": "", "caBundle": "", "kubeconfig": "current-context: x"}), `no context "x"`},
		"exec plugin":         {nil, inKubeconfig("{exec: {apiVersion: client.authentication.k8s.io/v1, command: sesame}}", server), "exec plugins are not run"},
		"auth provider":       {nil, inKubeconfig("{auth-provider: {name: gcp}}", server), "auth-provider"},
		"file":                {nil, inKubeconfig("{tokenFile: /etc/sesame}", server), "it refers to files"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := RESTConfig(cluster(c.spec), c.secret, "accord")
			require.ErrorContains(t, err, "cluster eu: ")
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "sesame")
		})
	}
}

// TestHostileCluster: credentials go to the server of their Secret only, and only for the Cluster that the Secret names.
func TestHostileCluster(t *testing.T) {
	opaque, insecure := secret(nil), secret(map[string]string{"insecureSkipTLSVerification": "true"})
	opaque.Type = corev1.SecretTypeOpaque
	proxied := secret(map[string]string{"proxyURL": "http://proxy:3128"})
	config := inKubeconfig("{token: sesame}", "{server: 'https://eu.example.com:6443'}")
	for name, c := range map[string]struct {
		spec   func(*v1alpha1.ClusterSpec)
		secret *corev1.Secret
		want   string
	}{
		"no secretRef":                {func(s *v1alpha1.ClusterSpec) { s.SecretRef = nil }, secret(nil), "spec.secretRef is not set"},
		"a Secret of another place":   {func(s *v1alpha1.ClusterSpec) { s.SecretRef.Namespace = "team-a" }, secret(nil), "reads credentials of clusters in namespace accord only"},
		"a Secret of another type":    {nil, opaque, `the Secret accord/eu has the type "Opaque"`},
		"the Secret of another":       {nil, secret(map[string]string{"cluster": "us"}), `the Secret accord/eu is for the cluster "us"`},
		"a Secret of no cluster":      {nil, secret(map[string]string{"cluster": ""}), `is for the cluster ""`},
		"another server":              {func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "https://loot" }, secret(nil), "spec.apiEndpoint is https://loot, and the Secret accord/eu is for the server https://eu.example.com:6443"},
		"another port":                {func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "https://eu.example.com" }, secret(nil), "spec.apiEndpoint is"},
		"another path":                {func(s *v1alpha1.ClusterSpec) { s.APIEndpoint += "/proxy" }, secret(nil), "spec.apiEndpoint is"},
		"over the kubeconfig":         {func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "https://loot" }, config, "spec.apiEndpoint is https://loot"},
		"a proxy":                     {func(s *v1alpha1.ClusterSpec) { s.ProxyURL = "http://loot" }, secret(nil), "spec.proxyURL is set, and the Secret accord/eu has no proxy"},
		"another proxy":               {func(s *v1alpha1.ClusterSpec) { s.ProxyURL = "http://loot" }, proxied, "name different proxies"},
		"a proxy over the kubeconfig": {func(s *v1alpha1.ClusterSpec) { s.ProxyURL = "http://loot" }, config, "has no proxy"},
		"any certificate":             {func(s *v1alpha1.ClusterSpec) { s.InsecureSkipTLSVerification = true }, secret(nil), "does not allow this"},
		"any certificate, kubeconfig": {func(s *v1alpha1.ClusterSpec) { s.InsecureSkipTLSVerification = true }, config, "does not allow this"},
		"any certificate, elsewhere":  {func(s *v1alpha1.ClusterSpec) { s.APIEndpoint = "https://loot" }, insecure, "spec.apiEndpoint is"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := RESTConfig(cluster(c.spec), c.secret, "accord")
			require.ErrorContains(t, err, c.want)
			require.Equal(t, CredentialsRefused, Reason(err))
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
	}), secret(map[string]string{"proxyURL": proxy.URL, "caBundle": ""}), "accord")
	require.NoError(t, err)
	_, err = Probe(t.Context(), connect(t, cfg))
	require.Error(t, err)
	r := <-got
	require.Equal(t, http.MethodConnect, r.Method)
	require.Equal(t, "eu.example.com:6443", r.Host)
	require.Equal(t, []string{"a", "b"}, r.Header.Values("X-Team"))
}
