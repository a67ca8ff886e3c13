package clusters

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/discovery"
)

func TestLook(t *testing.T) {
	m := connect(t, plane.Config())
	served, err := m.Kinds.Discover()
	require.NoError(t, err)
	require.Empty(t, served.Unavailable)
	require.Equal(t, v1alpha1.APIResource{Name: "deployments", Kind: "Deployment", Scope: "Namespaced"}, find(served, "apps/v1", "Deployment"))
	require.Equal(t, v1alpha1.APIResource{Name: "pods", Kind: "Pod", Scope: "Namespaced"}, find(served, "v1", "Pod"))
	require.Zero(t, find(served, "apps/v1", "Scale"), "subresources are no kinds of their own")
	list, ok := served.ForStatus()
	require.True(t, ok)
	require.Equal(t, served.Enablements, list, "what Kubernetes has itself is listed with names")

	m.server = nil // Mapping answers from the cache
	mapping, err := m.Kinds.Mapping(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	require.NoError(t, err)
	require.Equal(t, "deployments", mapping.Resource.Resource)
}

func find(s discovery.APIs, groupVersion, kind string) v1alpha1.APIResource {
	for _, e := range s.Enablements {
		for _, r := range e.Resources {
			if e.GroupVersion == groupVersion && r.Kind == kind {
				return r
			}
		}
	}
	return v1alpha1.APIResource{}
}

// traffic records requests and responses since the last take: "GET /api 200".
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
			s, err := m.Kinds.Discover()
			return err == nil && find(s, group+"/v1", kind).Name == ""
		}, soon, often)
	})
}

// A real API server sends unchanged halves as 304 and changed halves in full.
func TestLookAgain(t *testing.T) {
	var tr traffic
	cfg := rest.CopyConfig(plane.Config())
	cfg.Wrap(tr.wrap)
	m := connect(t, cfg)
	first, err := m.Kinds.Discover()
	require.NoError(t, err)
	seen, sent := tr.take()
	require.Equal(t, []string{"GET /api 200", "GET /apis 200"}, seen)
	require.Greater(t, sent, int64(10_000))

	second, err := m.Kinds.Discover()
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
		third, err := m.Kinds.Discover()
		require.NoError(t, err)
		return find(third, "look.example.com/v1", "Gadget").Name == "gadgets"
	}, soon, often)
	mapping, err := m.Kinds.Mapping(gadget)
	require.NoError(t, err)
	require.Equal(t, meta.RESTScopeNameNamespace, mapping.Scope.Name())
}

// Members with one Cache share equal discovery results.
func TestMembersShareACatalog(t *testing.T) {
	var all discovery.Cache
	var members []*Member
	for _, name := range []string{"eu", "us"} {
		m, err := ConnectWith(plane.Config(), name, &all)
		require.NoError(t, err)
		t.Cleanup(m.Close)
		_, err = m.Kinds.Discover()
		require.NoError(t, err)
		members = append(members, m)
	}
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	mapping := func(m *Member) *meta.RESTMapping {
		mapping, err := m.Kinds.Mapping(deployment)
		require.NoError(t, err)
		return mapping
	}
	require.Same(t, mapping(members[0]), mapping(members[1]))
	alone := connect(t, plane.Config())
	s, err := alone.Kinds.Discover()
	require.NoError(t, err)
	require.NotSame(t, mapping(members[0]), mapping(alone))
	shared, err := members[0].Kinds.Discover()
	require.NoError(t, err)
	require.Equal(t, s, shared)
	require.True(t, slices.ContainsFunc(s.Enablements, func(e v1alpha1.APIEnablement) bool { return e.GroupVersion == "apps/v1" }))
}
