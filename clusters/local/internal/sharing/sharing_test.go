package sharing

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
)

// cluster returns the text of an object that differs from the others by its name and its version.
func cluster(name string, version int) string {
	var groups []string
	for i := range 60 {
		groups = append(groups, fmt.Sprintf(`{"groupVersion":"group%d/v1","resources":[{"name":"things%d","kind":"Thing","scale":1.5,"served":true}]}`, i, i))
	}
	return fmt.Sprintf(`{"apiVersion":"accord.dev/v1alpha1","kind":"Cluster","metadata":{"name":%q,"resourceVersion":"%d","managedFields":[
		{"manager":"accord","operation":"Apply","fieldsV1":{"f:status":{"f:apiEnablements":{},"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:type":{}}}}}}
	]},"spec":{"taints":[]},"status":{"nodes":3,"none":null,"version":"%d","apiEnablements":[%s]}}`, name, version, version, strings.Join(groups, ","))
}

func decode(t testing.TB, text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON([]byte(text)))
	return u
}

func newParts() *parts { return &parts{seed: maphash.MakeSeed(), most: maxParts} }

// same reports whether two fields are one map or list in memory.
func same(t *testing.T, a, b *unstructured.Unstructured, path ...string) bool {
	at := func(u *unstructured.Unstructured) uintptr {
		x, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
		require.NoError(t, err)
		require.True(t, found)
		return reflect.ValueOf(x).Pointer()
	}
	return at(a) == at(b)
}

// Objects keep their content. Equal parts are one in memory; the object and its metadata, which the API server changes in place, are not.
func TestEqualPartsAreShared(t *testing.T) {
	p := newParts()
	a, b := decode(t, cluster("eu", 1)), decode(t, cluster("us", 2))
	twin := decode(t, cluster("eu", 1))
	for _, u := range []*unstructured.Unstructured{a, b, twin} {
		p.share(u)
	}
	require.Equal(t, decode(t, cluster("eu", 1)), a)
	require.Equal(t, decode(t, cluster("us", 2)), b)
	require.True(t, same(t, a, b, "status", "apiEnablements"))
	require.True(t, same(t, a, b, "metadata", "managedFields"))
	require.False(t, same(t, a, b, "status"))
	require.True(t, same(t, a, twin, "status"))
	require.False(t, same(t, a, twin, "metadata"))
	twin.SetResourceVersion("3")
	require.Equal(t, "1", a.GetResourceVersion())
}

// Values of different types, and parts with equal hashes, are not mixed up.
func TestDifferentPartsStayDifferent(t *testing.T) {
	text := `{"kind":"X","a":[1,"1",true,"true",null,"null",1.0,1.5,[],{},"",[1],["1"],{"x":1},{"x":"1"},[[]],[{}],{"y":{"x":1}}],"b":{"x":{"y":1},"y":{"x":1}}}`
	p := newParts()
	for range 2 {
		u := decode(t, text)
		p.share(u)
		require.Equal(t, decode(t, text), u)
	}
	list, shared := []any{int64(1)}, map[string]any{"x": int64(1)}
	p.keep(list, 7)
	require.Equal(t, shared, p.keep(shared, 7), "a hash that two values have")
}

// Parts that no object has any more are forgotten; those that objects have stay.
func TestOldPartsAreForgotten(t *testing.T) {
	p := newParts()
	p.most = 1000
	first := decode(t, cluster("eu", 0))
	p.share(first)
	for i := range 3 * p.most {
		u := decode(t, cluster("eu", 0))
		u.SetAnnotations(map[string]string{"note": fmt.Sprint("note ", i)})
		p.share(u)
		require.LessOrEqual(t, len(p.recent)+len(p.older), 2*p.most)
		require.True(t, same(t, first, u, "status", "apiEnablements"))
	}
	require.NotContains(t, p.recent, p.hashOf("note 0"))
	require.NotContains(t, p.older, p.hashOf("note 0"))
}

func (p *parts) hashOf(text string) uint64 {
	_, h := (&parts{seed: p.seed}).part(text)
	return h
}

// stored is a storage with one object.
type stored struct {
	storage.Interface
	text   string
	events chan watch.Event
}

func (s stored) GetList(_ context.Context, _ string, _ storage.ListOptions, list kruntime.Object) error {
	u := unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(s.text), &u.Object); err != nil {
		return err
	}
	list.(*unstructured.UnstructuredList).Items = append(list.(*unstructured.UnstructuredList).Items, u)
	return nil
}

func (s stored) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(s.events), nil
}

// A list and a watch share parts, and a watch that is stopped ends, even if nobody reads its events.
func TestListAndWatchShare(t *testing.T) {
	events := make(chan watch.Event, 3)
	s := shared{stored{text: cluster("eu", 1), events: events}, newParts()}
	list := &unstructured.UnstructuredList{}
	require.NoError(t, s.GetList(t.Context(), "", storage.ListOptions{}, list))
	w, err := s.Watch(t.Context(), "", storage.ListOptions{})
	require.NoError(t, err)
	events <- watch.Event{Type: watch.Modified, Object: decode(t, cluster("eu", 2))}
	e := <-w.ResultChan()
	require.Equal(t, watch.Modified, e.Type)
	require.Equal(t, decode(t, cluster("eu", 2)), e.Object)
	require.True(t, same(t, &list.Items[0], e.Object.(*unstructured.Unstructured), "status", "apiEnablements"))
	events <- watch.Event{Type: watch.Modified, Object: decode(t, cluster("eu", 3))}
	w.Stop()
	w.Stop()
	for range w.ResultChan() { // at most the event that was on its way
	}
}

// BenchmarkShare prints the memory of a version of a Cluster, one of a thousand, without and with shared parts.
func BenchmarkShare(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for _, share := range []bool{false, true} {
		b.Run(fmt.Sprint("shared=", share), func(b *testing.B) {
			p, before := newParts(), heap()
			var all []*unstructured.Unstructured
			for i := 0; b.Loop(); i++ {
				u := decode(b, cluster(fmt.Sprint("eu-", i%1000), i))
				if share {
					p.share(u)
				}
				all = append(all, u)
			}
			b.ReportMetric(float64(heap()-before)/float64(len(all)), "B/object")
			runtime.KeepAlive(all)
		})
	}
}
