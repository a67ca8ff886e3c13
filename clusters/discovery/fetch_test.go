package discovery

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// connect makes the Kinds of an API server.
func connect(t *testing.T, cfg *rest.Config) *Kinds {
	client, err := rest.HTTPClientFor(cfg)
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	client.Transport = Transport{client.Transport}
	server, err := discovery.NewDiscoveryClientForConfigAndClient(cfg, client)
	require.NoError(t, err)
	return New(server, new(Cache))
}

// served is an API server that answers as f does.
func served(t *testing.T, f http.HandlerFunc) *rest.Config {
	s := httptest.NewTLSServer(f)
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
}

// halves is an API server of which the halves of the answer are set.
type halves struct {
	mu    sync.Mutex
	kinds map[string][]string // by path
	tags  map[string]string   // by path
	form  string
	asked []string
}

func (h *halves) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, r.URL.Path)
	tag := h.tags[r.URL.Path]
	if tag != "" && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	group, version := "", "v1"
	if r.URL.Path == "/apis" {
		group, version = "a.io", "v1"
	}
	var resources []string
	for _, kind := range h.kinds[r.URL.Path] {
		resources = append(resources, fmt.Sprintf(`{"resource":%q,"responseKind":{"group":%q,"version":%q,"kind":%q},"scope":"Namespaced","verbs":["list"]}`,
			strings.ToLower(kind)+"s", group, version, kind))
	}
	w.Header().Set("Content-Type", h.form)
	if tag != "" {
		w.Header().Set("Etag", strings.TrimPrefix(tag, "nobody answers 304 to "))
	}
	_, _ = fmt.Fprintf(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":%q},"versions":[{"version":%q,"freshness":"Current","resources":[%s]}]}]}`,
		group, version, strings.Join(resources, ","))
}

func (h *halves) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.asked = nil }()
	return h.asked
}

func TestLookAsksForWhatChanged(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*halves)
		asked  []string
		same   bool
	}{
		"nothing changed":  {func(*halves) {}, []string{"/api", "/apis"}, true},
		"the core changed": {func(h *halves) { h.tags["/api"], h.kinds["/api"] = `"3"`, []string{"Pod", "Node"} }, []string{"/api", "/apis", "/apis"}, false},
		"groups changed":   {func(h *halves) { h.tags["/apis"], h.kinds["/apis"] = `"3"`, []string{"Gadget", "Widget"} }, []string{"/api", "/apis", "/api"}, false},
		"another order":    {func(h *halves) { h.tags["/apis"], h.kinds["/apis"] = `"3"`, []string{"Other", "Gadget"} }, []string{"/api", "/apis", "/api"}, true},
		"both changed":     {func(h *halves) { h.tags = map[string]string{"/api": `"3"`, "/apis": `"4"`}; h.kinds["/api"] = nil }, []string{"/api", "/apis"}, false},
		"sent although the same": {func(h *halves) {
			h.tags = map[string]string{"/api": `nobody answers 304 to "1"`, "/apis": `nobody answers 304 to "2"`}
		}, []string{"/api", "/apis"}, true},
		"no tags any more": {func(h *halves) { h.tags = nil }, []string{"/api", "/apis"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := &halves{form: discovery.AcceptV2, kinds: map[string][]string{"/api": {"Pod"}, "/apis": {"Gadget", "Other"}}, tags: map[string]string{"/api": `"1"`, "/apis": `"2"`}}
			k := connect(t, served(t, h.ServeHTTP))
			_, err := k.Discover()
			require.NoError(t, err)
			require.Equal(t, []string{"/api", "/apis"}, h.requests())
			before := k.snapshot.catalog
			c.change(h)
			s, err := k.Discover()
			require.NoError(t, err)
			require.Equal(t, c.asked, h.requests())
			require.Equal(t, c.same, k.snapshot.catalog == before)
			require.Len(t, s.Enablements, 2)
			for i, path := range []string{"/apis", "/api"} {
				require.Len(t, s.Enablements[i].Resources, len(h.kinds[path]), path)
			}
		})
	}
}

// API servers before Kubernetes 1.30 do not know the form, and are asked for one group after the other.
func TestLookAtAnOldServer(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter){
		"it accepts no such form":       func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotAcceptable) },
		"it answers in the form it has": func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"kind":"APIVersions","versions":["v1"]}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			k := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.URL.Path == "/api" && r.Header.Get("Accept") == discovery.AcceptV2:
					refuse(w)
				case r.URL.Path == "/api":
					_, _ = w.Write([]byte(`{"kind":"APIVersions","versions":["v1"]}`))
				case r.URL.Path == "/apis":
					_, _ = w.Write([]byte(`{"kind":"APIGroupList","groups":[]}`))
				default:
					_, _ = w.Write([]byte(`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list"]},{"name":"pods/log","kind":"Pod"}]}`))
				}
			}))
			for range 2 {
				s, err := k.Discover()
				require.NoError(t, err)
				require.Equal(t, "pods", find(s, "v1", "Pod").Name)
				require.Len(t, s.Enablements[0].Resources, 1)
			}
		})
	}
}

// A malformed response is reported as such, and not as a cluster without APIs.
func TestLookAtNonsense(t *testing.T) {
	k := connect(t, served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", discovery.AcceptV2)
		_, _ = w.Write([]byte(`{"items":`))
	}))
	_, err := k.Discover()
	require.ErrorContains(t, err, "discovering APIs: unexpected end of JSON input")
}
