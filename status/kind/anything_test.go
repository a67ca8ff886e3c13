package kind_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// FuzzAnything: whatever a manifest looks like, every kind answers, keeps its promises and leaves it as it was.
func FuzzAnything(f *testing.F) {
	for _, u := range examples(f) {
		raw, err := json.Marshal(u.Object)
		require.NoError(f, err)
		f.Add(string(raw))
	}
	f.Add(`{"spec":{"replicas":1e300,"parallelism":-1e300,"template":{"spec":{"containers":[{"resources":{"requests":{"cpu":"1e99999999","memory":"-0"}}}]}}}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var content map[string]any
		if json.Unmarshal([]byte(raw), &content) != nil {
			return
		}
		for _, gk := range interpret.Kinds() {
			k := interpret.Of(gk)
			answers(t, gk, k, &unstructured.Unstructured{Object: content})
		}
	})
}

// TestMalformed puts something else in every single place of the examples of every kind.
func TestMalformed(t *testing.T) {
	tried := map[schema.GroupKind]map[string]bool{}
	for _, u := range examples(t) {
		gk := u.GroupVersionKind().GroupKind()
		if tried[gk] == nil {
			tried[gk] = map[string]bool{}
		}
		everywhere(u.Object, "", tried[gk], func(place string) {
			defer func() {
				require.Nil(t, recover(), "%s of %v", place, u.Object)
			}()
			answers(t, gk, interpret.Of(gk), u)
		})
	}
	for gk, places := range tried {
		require.Greater(t, len(places), 3, gk)
	}
}

// answers asks a kind everything about an object and holds it to what kind.Kind promises.
func answers(t *testing.T, gk schema.GroupKind, k kind.Kind, u *unstructured.Unstructured) {
	t.Helper()
	before, err := json.Marshal(u.Object)
	require.NoError(t, err)
	k.Health(u)
	if k.Requirements != nil {
		for name, q := range k.Requirements(u) {
			require.Positive(t, q.Sign(), name)
			require.Positive(t, q.MilliValue(), "%s: %s overflows", name, q.String())
		}
	}
	if k.Dependencies != nil {
		refs := k.Dependencies(u)
		for i, ref := range refs {
			require.Equal(t, u.GetNamespace(), ref.Namespace)
			require.NotEqual(t, ref.Name == "", ref.Labels == nil, "named or selected")
			require.True(t, i == 0 || refs[i-1].Compare(ref.ID) < 0, "%v is not sorted, or twice", refs)
		}
	}
	if k.Replicas != nil {
		n, ok := k.Replicas(u)
		require.True(t, ok || gk.Kind == "BroadcastJob" || mistaken(k, u), "decided by kind, not by numbers (B40), but for percentages and mistakes")
		require.GreaterOrEqual(t, n, int32(0))
	}
	require.Equal(t, k.Template == nil, k.Replaces == nil, "who replaces pods says which")
	if k.Template != nil {
		k.Template(u)
		n, perNode := k.Replaces(u)
		require.GreaterOrEqual(t, n, int32(0))
		require.False(t, perNode && n > 0, "a number, or one on every node")
	}
	if k.Immutable != nil {
		nothing := &unstructured.Unstructured{Object: map[string]any{}}
		require.Empty(t, k.Immutable(u, u), "nothing has changed")
		require.True(t, slices.IsSorted(k.Immutable(u, nothing)))
		require.True(t, slices.IsSorted(k.Immutable(nothing, u)))
	}
	if k.Aggregate != nil {
		adding(t, k, []kind.Answer{{Cluster: "a", Current: true, Status: k.Reflect(u)}, {Cluster: "b"}, {Cluster: "c", Status: read.Status(u)}})
	}
	after, err := json.Marshal(u.Object)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "asking changed it")
	if k.SetReplicas != nil {
		setting(t, gk, k, u.DeepCopy())
	}
}

// adding aggregates: the same in any order and every time, and the answers stay as they were.
func adding(t *testing.T, k kind.Kind, given []kind.Answer) {
	t.Helper()
	before, err := json.Marshal(given)
	require.NoError(t, err)
	forth, err := json.Marshal(k.Aggregate(given))
	require.NoError(t, err)
	slices.Reverse(given)
	back, err := json.Marshal(k.Aggregate(given))
	require.NoError(t, err)
	require.Equal(t, string(forth), string(back))
	slices.Reverse(given)
	after, err := json.Marshal(given)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "adding changed it")
}

// setting sets replicas and reads them again: just what was set, where nothing else limits it, and setting it again
// changes nothing.
func setting(t *testing.T, gk schema.GroupKind, k kind.Kind, u *unstructured.Unstructured) {
	t.Helper()
	if _, ok := u.Object["spec"].(map[string]any); !ok {
		return
	}
	if _, ok := k.Replicas(u); !ok { // a value that accord cannot read stays as Git has it
		before := u.DeepCopy()
		k.SetReplicas(u, 7)
		require.Equal(t, before, u)
	}
	if _, ok := k.Replicas(u); !ok || mistaken(k, u) {
		return
	}
	for _, n := range []int32{1, 0, 7, math.MaxInt32} {
		k.SetReplicas(u, n)
		got, _ := k.Replicas(u)
		require.Equal(t, settable(gk, u, n), got)
		again := u.DeepCopy()
		k.SetReplicas(again, n)
		require.Equal(t, u, again)
	}
}

// mistaken reports whether the kind cannot read a value of the object.
func mistaken(k kind.Kind, u *unstructured.Unstructured) bool {
	return k.Mistakes != nil && len(k.Mistakes(u)) > 0
}

// settable is how many of n replicas an object of a kind can have.
func settable(gk schema.GroupKind, u *unstructured.Unstructured, n int32) int32 {
	switch cluster := read.Object(u.Object, "spec", "rayClusterConfig"); {
	case gk == (schema.GroupKind{Group: "batch", Kind: "Job"}):
		if completions, bounded := manifest.Count(read.At(u.Object, "spec", "completions")); bounded {
			return min(n, completions)
		}
		return n
	case gk.Kind != "RayService":
		return n
	case read.Object(cluster, "headGroupSpec") == nil:
		return 0
	case len(read.Objects(cluster, "workerGroupSpecs")) == 0:
		return 1
	}
	return max(1, n)
}

// everywhere calls visit with each value below path in v replaced by odd ones, one at a time, and puts everything back.
// Places that were tried, in another example of the same kind, are left out.
func everywhere(v any, path string, tried map[string]bool, visit func(place string)) {
	odd := []any{nil, "", "odd", int64(-1), int64(math.MaxInt64), 1e300, true, []any{}, []any{nil, "odd", map[string]any{}}, map[string]any{}, map[string]any{"name": []any{}}}
	each := func(key string, was any, set func(any)) {
		place := path + "/" + key
		if !tried[place] {
			tried[place] = true
			for _, o := range odd {
				set(o)
				visit(fmt.Sprintf("%s: %v", place, o))
			}
			set(was)
		}
		everywhere(was, place, tried, visit)
	}
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			each(key, v[key], func(o any) { v[key] = o })
		}
	case []any:
		for i, was := range v {
			each(fmt.Sprint(i), was, func(o any) { v[i] = o })
		}
	}
}

// examples are the objects of all test cases.
func examples(t testing.TB) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	require.NoError(t, filepath.WalkDir("testdata", func(file string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".yaml") {
				out = append(out, parse(t, f.Data))
			}
		}
		return nil
	}))
	require.Greater(t, len(out), 50)
	return out
}
