package recovery

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/egress"
)

// registry is a registry that wants an anonymous token, has the images shop/web:1 and shop/web@sha256:..., and rejects others.
func registry(t *testing.T, digest string) (*httptest.Server, string) {
	mux := http.NewServeMux()
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if _, _, credentials := r.BasicAuth(); credentials || !strings.HasPrefix(r.FormValue("scope"), "repository:shop/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"token":"anonymous"}`))
	})
	mux.HandleFunc("/v2/{repository...}", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodHead:
			w.WriteHeader(http.StatusMethodNotAllowed) // nothing is downloaded
		case r.Header.Get("Authorization") != "Bearer anonymous":
			w.Header().Set("Www-Authenticate", `Bearer realm="`+server.URL+`/token",service="test",scope="repository:`+strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/v2/"), "/manifests/1")+`:pull"`)
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v2/shop/web/manifests/1", r.URL.Path == "/v2/shop/web/manifests/"+digest:
			w.Header().Set("Docker-Content-Digest", digest)
			w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
			w.Header().Set("Content-Length", "2")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	return server, strings.TrimPrefix(server.URL, "https://")
}

func TestRegistries(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	server, host := registry(t, digest)
	gone, unknown := newRegistries(server.Client().Transport).missing(t.Context(), []string{
		host + "/shop/web:1", host + "/shop/web@" + digest, host + "/shop/web:2", host + "/shop/queue", host + "/private/web:1", "Not An Image",
	})
	require.Equal(t, []string{host + "/shop/queue", host + "/shop/web:2"}, gone)
	require.Len(t, unknown, 2)
	require.Contains(t, unknown[0], host+"/private/web:1 (")
	require.Contains(t, unknown[1], "Not An Image (")
}

// TestHostileRegistry: production must not make the user's machine send requests into its own network.
func TestHostileRegistry(t *testing.T) {
	server, host := registry(t, "")
	asked := false
	server.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true })
	gone, unknown := newRegistries(egress.Networks(nil).HTTPTransport()).missing(t.Context(), []string{host + "/shop/web:1", "169.254.169.254/latest/meta-data:1"})
	require.Empty(t, gone)
	require.Len(t, unknown, 2, "it is said that they were not checked")
	require.False(t, asked)
}
