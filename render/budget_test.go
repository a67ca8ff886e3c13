package render

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestHostileManifestsBeyondTheBudget: objects and bytes are counted before the manifests are decoded, over all sources.
func TestHostileManifestsBeyondTheBudget(t *testing.T) {
	const one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\n"
	documents := func(first, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(one, first+i))
		}
		return strings.Join(all, "---\n")
	}
	tree := func(files map[string]string) fs.FS {
		all := fstest.MapFS{}
		for name, text := range files {
			all[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return all
	}
	six := map[string]string{"a.yaml": documents(0, 3), "b.yaml": documents(3, 3)}
	list := "apiVersion: v1\nkind: List\nitems:\n"
	for i := range 6 {
		list += fmt.Sprintf("- {apiVersion: v1, kind: ConfigMap, metadata: {name: c%d}}\n", i)
	}
	for name, c := range map[string]struct {
		files   map[string]string
		objects int
		bytes   int64
		want    string
	}{
		"as many as allowed":          {six, 6, 1 << 10, ""},
		"no limits":                   {six, 0, 0, ""},
		"an object too many":          {six, 5, 0, "b.yaml: the manifests up to this file have more than 5 objects"},
		"a list too long":             {map[string]string{"a.yaml": list}, 5, 0, "a.yaml: the manifests up to this file have more than 5 objects"},
		"a byte too many":             {map[string]string{"a.yaml": one}, 5, int64(len(one) - 1), fmt.Sprintf("a.yaml: the manifests up to this file have more than %d bytes", len(one)-1)},
		"broken text is not decoded":  {map[string]string{"a.yaml": strings.Repeat("x: [\n---\n", 9)}, 5, 0, "a.yaml: the manifests up to this file have more than 5 objects"},
		"a kustomization counts, too": {map[string]string{"kustomization.yaml": "resources: [a.yaml]", "a.yaml": documents(0, 6)}, 5, 0, "a.yaml: the manifests up to this file have more than 5 objects"},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := NewLedger()
			_, built := Build(tree(c.files), Options{Budget: ledger})
			_, err := Build(tree(c.files), Options{Budget: NewBudget(c.objects, c.bytes)})
			if c.want == "" {
				require.NoError(t, err)
				require.NoError(t, ledger.Within(c.objects, c.bytes))
				return
			}
			if built == nil {
				require.ErrorAs(t, ledger.Within(c.objects, c.bytes), new(*LimitError))
			}
			require.EqualError(t, err, c.want)
			require.ErrorAs(t, err, new(*LimitError))
		})
	}
	t.Run("two sources share a budget", func(t *testing.T) {
		budget, cache := NewBudget(6, 0), &Cache{}
		for range 2 { // the cache does not hide the objects of unchanged files
			budget = NewBudget(8, 0)
			_, err := cache.Build(tree(six), Options{Budget: budget})
			require.NoError(t, err)
		}
		_, err := Build(tree(map[string]string{"a.yaml": documents(6, 3)}), Options{Budget: budget})
		require.EqualError(t, err, "a.yaml: the manifests up to this file have more than 8 objects")
	})
}
