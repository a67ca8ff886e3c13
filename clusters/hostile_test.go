package clusters

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters/list"
	"github.com/accord-dev/accord/internal/egress"
)

// zeros returns n bytes of zeros, compressed.
func zeros(t *testing.T, n int64) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.CopyN(w, zero{}, n)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestHostileVersions: 254 KiB that unpack to 258 MiB, and a version without an end, use no memory.
func TestHostileVersions(t *testing.T) {
	bomb := zeros(t, 258<<20)
	require.Less(t, len(bomb), 300<<10)
	for name, answer := range map[string]http.HandlerFunc{
		"compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		},
		"without an end": func(w http.ResponseWriter, r *http.Request) { _, _ = io.CopyN(w, zero{}, 258<<20) },
		"a refusal": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.CopyN(w, zero{}, 258<<20)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := connect(t, served(t, answer))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := Ping(t.Context(), m)
			runtime.ReadMemStats(&after)
			require.Error(t, err)
			require.Less(t, len(err.Error()), 1000)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		})
	}
}

// TestHostileRedirects: no request and no token leaves for the place that a member names.
func TestHostileRedirects(t *testing.T) {
	var reached atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(inside.Close)
	for _, code := range []int{301, 302, 303, 307, 308} {
		cfg := served(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL+"/latest/meta-data/", code)
		})
		cfg.BearerToken = "the-token-of-the-member"
		m := connect(t, cfg)
		err := Ping(t.Context(), m)
		require.ErrorIs(t, err, egress.ErrRedirect, "code %d", code)
		require.ErrorContains(t, m.Kinds.Refresh(), "follows no redirect")
	}
	require.Zero(t, reached.Load())
}

// TestHostileLists: a list without an end stops.
func TestHostileLists(t *testing.T) {
	var asked atomic.Int64
	m := connect(t, served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":"%d"},"items":[]}`, asked.Add(1))
	}))
	require.ErrorIs(t, new(Facts).countNodes(t.Context(), m), list.ErrTooManyPages)
	require.EqualValues(t, 1000, asked.Load())
}

// TestHostileEvents: an event that is too large ends the watch with a sentence, and reaches no sink.
func TestHostileEvents(t *testing.T) {
	m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/api":
			_, _ = io.WriteString(w, `{"kind":"APIVersions","versions":["v1"]}`)
		case r.URL.Path == "/apis":
			_, _ = io.WriteString(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
		case r.URL.Path == "/api/v1":
			_, _ = io.WriteString(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","namespaced":true,"kind":"ConfigMap","verbs":["list","watch"]}]}`)
		case r.URL.Query().Get("watch") == "":
			_, _ = io.WriteString(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
		default:
			_, _ = io.WriteString(w, `{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"x":"`)
			_, _ = io.WriteString(w, strings.Repeat("x", 64<<20)+`"}}}`)
		}
	}))
	require.NoError(t, m.Kinds.Refresh())
	watcher := m.NewWatcher("x", silent{t})
	t.Cleanup(watcher.Close)
	watcher.SetKinds([]schema.GroupVersionKind{{Version: "v1", Kind: "ConfigMap"}})
	require.Eventually(t, func() bool {
		_, err := watcher.Lost()
		return err != nil
	}, time.Minute, 10*time.Millisecond)
	_, err := watcher.Lost()
	require.ErrorIs(t, err, egress.ErrTooLarge)
}

// silent is a sink that receives no object.
type silent struct{ t *testing.T }

func (s silent) Put(*unstructured.Unstructured)                              { s.t.Error("an object arrived") }
func (s silent) Delete(*unstructured.Unstructured)                           { s.t.Error("a deletion arrived") }
func (silent) Listed(schema.GroupVersionKind, map[types.NamespacedName]bool) {}
func (silent) Lost(gvk schema.GroupVersionKind, since time.Time, err error)  {}
