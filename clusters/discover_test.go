package clusters

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// traffic is what was asked and answered since it was taken last: "GET /api 200".
type traffic struct {
	mu   sync.Mutex
	seen []string
	sent int64 // bytes of bodies
}

func (tr *traffic) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.seen = append(tr.seen, fmt.Sprintf("%s %s %d", r.Method, r.URL.Path, answer.StatusCode))
		answer.Body = counted{answer.Body, tr}
		return answer, nil
	})
}

func (tr *traffic) take() ([]string, int64) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	defer func() { tr.seen, tr.sent = nil, 0 }()
	return tr.seen, tr.sent
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type counted struct {
	io.ReadCloser
	of *traffic
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.sent += int64(n)
	return n, err
}

// define has the shared member serve one kind more, as long as the test lasts.
func define(t *testing.T, m *Member, kind, group string) {
	t.Helper()
	name := strings.ToLower(kind) + "s." + group
	body := fmt.Appendf(nil, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":%q},"spec":{"group":%q,"scope":"Namespaced",
		"names":{"kind":%q,"listKind":%q,"singular":%q,"plural":%q},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`,
		name, group, kind, kind+"List", strings.ToLower(kind), strings.ToLower(kind)+"s")
	_, err := m.Metadata.Resource(definitions).Patch(t.Context(), name, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: "test"})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, m.Metadata.Resource(definitions).Delete(context.Background(), name, metav1.DeleteOptions{}))
		require.Eventually(t, func() bool {
			s, err := m.Kinds.Look()
			return err == nil && find(s, group+"/v1", kind).Name == ""
		}, soon, often)
	})
}

// A real API server does not send what it sent before, and does send what is new.
func TestLookAgain(t *testing.T) {
	var tr traffic
	cfg := rest.CopyConfig(plane.Config())
	cfg.Wrap(tr.wrap)
	m := connect(t, cfg)
	first, err := m.Kinds.Look()
	require.NoError(t, err)
	seen, sent := tr.take()
	require.Equal(t, []string{"GET /api 200", "GET /apis 200"}, seen)
	require.Greater(t, sent, int64(10_000))

	second, err := m.Kinds.Look()
	require.NoError(t, err)
	require.Equal(t, first, second)
	seen, sent = tr.take()
	require.Equal(t, []string{"GET /api 304", "GET /apis 304"}, seen)
	require.Zero(t, sent)

	gadget := schema.GroupVersionKind{Group: "look.example.com", Version: "v1", Kind: "Gadget"}
	_, err = m.Kinds.Mapping(gadget)
	require.True(t, meta.IsNoMatchError(err), "%v", err)
	define(t, m, "Gadget", "look.example.com")
	require.Eventually(t, func() bool {
		third, err := m.Kinds.Look()
		require.NoError(t, err)
		return find(third, "look.example.com/v1", "Gadget").Name == "gadgets"
	}, soon, often)
	mapping, err := m.Kinds.Mapping(gadget)
	require.NoError(t, err)
	require.Equal(t, meta.RESTScopeNameNamespace, mapping.Scope.Name())
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
			m := connect(t, served(t, h.ServeHTTP))
			_, err := m.Kinds.Look()
			require.NoError(t, err)
			require.Equal(t, []string{"/api", "/apis"}, h.requests())
			before := m.Kinds.told.catalog
			c.change(h)
			s, err := m.Kinds.Look()
			require.NoError(t, err)
			require.Equal(t, c.asked, h.requests())
			require.Equal(t, c.same, m.Kinds.told.catalog == before)
			require.Len(t, s.Enabled, 2)
			for i, path := range []string{"/apis", "/api"} {
				require.Len(t, s.Enabled[i].Resources, len(h.kinds[path]), path)
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
			m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
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
				s, err := m.Kinds.Look()
				require.NoError(t, err)
				require.Equal(t, "pods", find(s, "v1", "Pod").Name)
				require.Len(t, s.Enabled[0].Resources, 1)
			}
		})
	}
}

// What cannot be read is what is wrong, not that nothing is served.
func TestLookAtNonsense(t *testing.T) {
	m := connect(t, served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", discovery.AcceptV2)
		_, _ = w.Write([]byte(`{"items":`))
	}))
	_, err := m.Kinds.Look()
	require.ErrorContains(t, err, "asking what the cluster serves: unexpected end of JSON input")
}
