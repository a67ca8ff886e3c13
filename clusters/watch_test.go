package clusters

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/clusters/watch"
)

var configMapKind = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}

// memory is a Sink that keeps one value of every object, and the errors of Lost.
type memory struct {
	mu     sync.Mutex
	values map[string]string
	lost   []error
}

func (m *memory) Put(u *unstructured.Unstructured) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, _, _ := unstructured.NestedString(u.Object, "data", "key")
	m.values[u.GetName()] = value
}

func (m *memory) Delete(u *unstructured.Unstructured) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.values, u.GetName())
}

func (m *memory) Listed(_ schema.GroupVersionKind, present map[types.NamespacedName]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.values {
		if !present[types.NamespacedName{Namespace: "default", Name: name}] {
			delete(m.values, name)
		}
	}
}

func (m *memory) Lost(_ schema.GroupVersionKind, _ time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost = append(m.lost, err)
}

func (m *memory) has(want map[string]string) func() bool {
	return func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return fmt.Sprint(m.values) == fmt.Sprint(want)
	}
}

func (m *memory) losses() (n int, back bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, err := range m.lost {
		if err != nil {
			n++
		}
	}
	return n, len(m.lost) > 0 && m.lost[len(m.lost)-1] == nil
}

// open starts a watch of one inventory.
func open(t *testing.T, m *Member, id string, kinds ...schema.GroupVersionKind) (*watch.Watcher, *memory) {
	sink := &memory{values: map[string]string{}}
	w := m.NewWatcher(id, sink)
	t.Cleanup(w.Close)
	w.SetKinds(kinds)
	return w, sink
}

const soon, often = 15 * time.Second, 5 * time.Millisecond

func TestWatchTellsOfOneInventory(t *testing.T) {
	m := connect(t, plane.Config())
	put(t, m, "before", "inventory", "1")
	put(t, m, "foreign", "other", "1")
	w, sink := open(t, m, "inventory", configMapKind)
	require.NoError(t, w.WaitForSync(t.Context()))
	require.True(t, w.HasSynced())
	require.True(t, sink.has(map[string]string{"before": "1"})(), "all that was there is put before Wait returns")

	put(t, m, "later", "inventory", "2")
	put(t, m, "before", "inventory", "3")
	require.Eventually(t, sink.has(map[string]string{"before": "3", "later": "2"}), soon, often)
	put(t, m, "before", "other", "3")
	require.Eventually(t, sink.has(map[string]string{"later": "2"}), soon, often, "what loses the label is gone")
	remove(t, m, "later")
	require.Eventually(t, sink.has(map[string]string{}), soon, often)
}

func TestWatchReadsPageByPage(t *testing.T) {
	const page = 250
	m := connect(t, plane.Config())
	want := map[string]string{}
	for i := range page + 20 {
		name := fmt.Sprintf("page-%04d", i)
		put(t, m, name, "pages", "1")
		want[name] = "1"
	}
	w, sink := open(t, m, "pages", configMapKind)
	require.NoError(t, w.WaitForSync(t.Context()))
	require.True(t, sink.has(want)())
}

func TestWatchOfAKindThatComes(t *testing.T) {
	m := connect(t, plane.Config())
	boat := schema.GroupVersionKind{Group: "watch.example.com", Version: "v1", Kind: "Boat"}
	w, sink := open(t, m, "boats", configMapKind, boat)
	require.NoError(t, w.WaitForSync(t.Context()), "a kind that is not served has no objects")

	text := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: boats.watch.example.com},
spec: {group: watch.example.com, names: {kind: Boat, plural: boats}, scope: Namespaced, versions: [{name: v1, served: true, storage: true,
schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
	body, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	_, err = m.Metadata.Resource(definitions).Patch(t.Context(), "boats.watch.example.com", types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: "test"})
	require.NoError(t, err)
	boats := m.Objects.Resource(schema.GroupVersionResource{Group: "watch.example.com", Version: "v1", Resource: "boats"}).Namespace("default")
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "watch.example.com/v1", "kind": "Boat", "data": map[string]any{"key": "afloat"},
		"metadata": map[string]any{"name": "b", "labels": map[string]any{"applyset.kubernetes.io/part-of": "boats"}},
	}}
	require.Eventually(t, func() bool {
		_, err := boats.Create(t.Context(), u, metav1.CreateOptions{})
		return err == nil
	}, soon, 50*time.Millisecond)
	require.NoError(t, m.Kinds.Refresh())
	require.Eventually(t, sink.has(map[string]string{"b": "afloat"}), soon, often)
}

func TestWatchOfAKindThatIsNoLongerWanted(t *testing.T) {
	m := connect(t, plane.Config())
	w, sink := open(t, m, "unwanted", configMapKind)
	require.NoError(t, w.WaitForSync(t.Context()))
	w.SetKinds(nil)
	put(t, m, "unseen", "unwanted", "1")
	w.SetKinds([]schema.GroupVersionKind{configMapKind})
	require.NoError(t, w.WaitForSync(t.Context()))
	require.Eventually(t, sink.has(map[string]string{"unseen": "1"}), soon, often)
}

// cut is a network that can be broken.
type cut struct {
	broken atomic.Bool
	inner  http.RoundTripper
	open   sync.Map // of the bodies under way
}

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.broken.Load() {
		return nil, errors.New("the network is broken")
	}
	answer, err := c.inner.RoundTrip(r)
	if err == nil && r.URL.Query().Get("watch") != "" {
		c.open.Store(answer.Body, true)
	}
	return answer, err
}

// watched reports whether a watch is open.
func (c *cut) watched() (found bool) {
	c.open.Range(func(_, _ any) bool {
		found = true
		return false
	})
	return found
}

func (c *cut) sever() {
	c.broken.Store(true)
	c.open.Range(func(body, _ any) bool {
		body.(interface{ Close() error }).Close()
		return true
	})
}

func TestWatchRecovers(t *testing.T) {
	network := &cut{}
	cfg := rest.CopyConfig(plane.Config())
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		network.inner = rt
		return network
	})
	m, other := connect(t, cfg), connect(t, plane.Config())
	w, sink := open(t, m, "severed", configMapKind)
	put(t, other, "gone", "severed", "1")
	require.NoError(t, w.WaitForSync(t.Context()))
	require.Eventually(t, sink.has(map[string]string{"gone": "1"}), soon, often)
	_, err := w.Lost()
	require.NoError(t, err)

	require.Eventually(t, network.watched, soon, often)
	before := time.Now()
	network.sever()
	require.Eventually(t, func() bool { _, err := w.Lost(); return err != nil }, soon, often)
	since, err := w.Lost()
	require.ErrorContains(t, err, "the network is broken")
	require.WithinRange(t, since, before, time.Now())
	remove(t, other, "gone")
	put(t, other, "new", "severed", "2")

	network.broken.Store(false)
	require.Eventually(t, sink.has(map[string]string{"new": "2"}), soon, often)
	require.Eventually(t, func() bool { _, err := w.Lost(); return err == nil }, soon, often)
	losses, back := sink.losses()
	require.Equal(t, 1, losses, "a loss is reported once")
	require.True(t, back)
}

func TestClosedWatchIsSilent(t *testing.T) {
	m := connect(t, plane.Config())
	w, sink := open(t, m, "closed", configMapKind)
	require.NoError(t, w.WaitForSync(t.Context()))
	w.Close()
	put(t, m, "late", "closed", "1")
	time.Sleep(100 * time.Millisecond) // long enough for an event to arrive; there is nothing to wait for
	require.True(t, sink.has(map[string]string{})())
	w.SetKinds([]schema.GroupVersionKind{{Version: "v1", Kind: "Secret"}})
}

// A watch that ends or breaks off goes on where it was, and lists again when the API server does not know that any more.
func TestWatchGoesOn(t *testing.T) {
	gadget := func(kind, name, version string) string {
		return fmt.Sprintf(`{"type":%q,"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"namespace":"default","resourceVersion":%q},"data":{"key":%q}}}`+"\n", kind, name, version, version)
	}
	for name, c := range map[string]struct {
		ends  string // the first watch
		from  string // resourceVersion of the second watch
		lists int
		has   map[string]string
	}{
		"in good order":         {gadget("ADDED", "a", "5"), "5", 1, map[string]string{"a": "5"}},
		"with a bookmark":       {gadget("ADDED", "a", "5") + `{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"6"}}}`, "6", 1, map[string]string{"a": "5"}},
		"after what is gone":    {gadget("ADDED", "a", "5") + gadget("ADDED", "b", "6") + gadget("DELETED", "a", "7"), "7", 1, map[string]string{"b": "6"}},
		"within an event":       {gadget("ADDED", "a", "5") + gadget("MODIFIED", "a", "6")[:100], "5", 1, map[string]string{"a": "5"}},
		"with nonsense":         {gadget("ADDED", "a", "5") + "<html>", "5", 1, map[string]string{"a": "5"}},
		"with an unknown event": {gadget("ADDED", "a", "5") + gadget("MOVED", "a", "6"), "5", 1, map[string]string{"a": "5"}},
		"with what is nothing":  {gadget("ADDED", "a", "5") + `{"type":"ADDED","object":null}`, "5", 1, map[string]string{"a": "5"}},
		"with a number of none": {gadget("ADDED", "a", "5") + `{"type":"MODIFIED","object":{"kind":"ConfigMap","spec":1e999}}`, "5", 1, map[string]string{"a": "5"}},
		"with internal trouble": {gadget("ADDED", "a", "5") + `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":500,"reason":"InternalError"}}`, "5", 1, map[string]string{"a": "5"}},
		"too old":               {gadget("ADDED", "a", "5") + `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"}}`, "2", 2, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			var lists, watches atomic.Int32
			second := make(chan string, 1)
			m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.URL.Path == "/api":
					w.Header().Set("Content-Type", discovery.AcceptV2)
					_, _ = w.Write([]byte(`{"items":[{"versions":[{"version":"v1","resources":[{"resource":"configmaps","scope":"Namespaced","responseKind":{"version":"v1","kind":"ConfigMap"}}]}]}]}`))
				case r.URL.Path == "/apis":
					w.Header().Set("Content-Type", discovery.AcceptV2)
					_, _ = w.Write([]byte(`{"items":[]}`))
				case r.URL.Query().Get("watch") == "":
					_, _ = fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[]}`, lists.Add(1))
				case watches.Add(1) == 1:
					_, _ = w.Write([]byte(c.ends))
				default:
					second <- r.URL.Query().Get("resourceVersion")
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				}
			}))
			w, sink := open(t, m, "x", configMapKind)
			require.NoError(t, w.WaitForSync(t.Context()))
			require.Equal(t, c.from, <-second)
			require.EqualValues(t, c.lists, lists.Load())
			require.True(t, sink.has(c.has)(), "%v", sink.values)
			_, err := w.Lost()
			require.NoError(t, err)
		})
	}
}
