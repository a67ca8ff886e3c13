package kind

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
		for _, k := range table {
			answers(t, k, &unstructured.Unstructured{Object: content})
		}
	})
}

// TestMalformed puts something else in every single place of every example.
func TestMalformed(t *testing.T) {
	for _, u := range examples(t) {
		k := Of(u.GroupVersionKind().GroupKind())
		places := 0
		everywhere(u.Object, func(place string) {
			places++
			defer func() {
				require.Nil(t, recover(), "%s of %v", place, u.Object)
			}()
			answers(t, k, u)
		})
		require.Positive(t, places)
	}
}

// answers asks a kind everything about an object and holds it to what Kind promises.
func answers(t *testing.T, k Kind, u *unstructured.Unstructured) {
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
		require.True(t, ok)
		require.GreaterOrEqual(t, n, int32(0))
	}
	after, err := json.Marshal(u.Object)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "asking changed it")
	if k.SetReplicas != nil {
		setting(t, k, u.DeepCopy())
	}
}

// setting sets replicas and reads them again: never more than what was set, and just that where nothing else limits it.
func setting(t *testing.T, k Kind, u *unstructured.Unstructured) {
	t.Helper()
	_, ok := u.Object["spec"].(map[string]any)
	_, limited := number(at(u.Object, "spec", "completions"))
	for _, n := range []int32{1, 0, 7, math.MaxInt32} {
		k.SetReplicas(u, n)
		got, _ := k.Replicas(u)
		if ok && !limited {
			require.Equal(t, n, got)
		}
		if ok {
			require.LessOrEqual(t, got, n)
		}
	}
}

// everywhere calls visit with each value in v replaced by odd ones, one at a time, and puts everything back.
func everywhere(v any, visit func(place string)) {
	odd := []any{nil, "", "odd", int64(-1), int64(math.MaxInt64), 1e300, true, []any{}, []any{nil, "odd", map[string]any{}}, map[string]any{}, map[string]any{"name": []any{}}}
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			was := v[key]
			for _, o := range odd {
				v[key] = o
				visit(fmt.Sprintf("%s: %v", key, o))
			}
			v[key] = was
			everywhere(was, visit)
		}
	case []any:
		for i, was := range v {
			for _, o := range odd {
				v[i] = o
				visit(fmt.Sprintf("[%d]: %v", i, o))
			}
			v[i] = was
			everywhere(was, visit)
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
