package packed_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/render/packed"
)

// identified is a tree whose files have a ContentID, as those of Git have.
type identified struct{ fstest.MapFS }

type identifiedInfo struct {
	fs.FileInfo
	id string
}

func (i identifiedInfo) ContentID() string { return i.id }

func (t identified) Stat(name string) (fs.FileInfo, error) {
	info, err := t.MapFS.Stat(name)
	if err != nil || info.IsDir() {
		return info, err
	}
	return identifiedInfo{info, "hash of " + string(t.MapFS[name].Data)}, nil
}

// trees returns the cases of package render, and values that no case has.
func trees(t *testing.T) map[string]identified {
	t.Helper()
	all := map[string]identified{"values": {fstest.MapFS{
		"a.yaml": {Data: []byte("apiVersion: e.io/v1\nkind: A\nmetadata: {name: a}\nspec: {i: -9007199254740993, f: 1.5e300, n: null, e: [], m: {}, t: true, l: [[{}], \"\"], s: \"\\u0000\\U0001F600\"}\n")},
		"b.json": {Data: []byte(`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "e.io/v1", "kind": "A", "metadata": {"name": "b"}}]}`)},
		"c.yaml": {Data: []byte("# nothing\n")},
	}}}
	paths, err := filepath.Glob("../testdata/build/*.txtar")
	require.NoError(t, err)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		tree := identified{fstest.MapFS{}}
		for _, f := range archive.Files {
			tree.MapFS[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		all[path] = tree
	}
	require.Greater(t, len(all), 10)
	return all
}

func decode(t testing.TB, data []byte) []render.StoredFile {
	t.Helper()
	pack, err := packed.Open(data)
	require.NoError(t, err)
	var files []render.StoredFile
	for i := range pack.Groups() {
		group, err := pack.Group(i)
		require.NoError(t, err)
		files = append(files, group...)
	}
	return files
}

// TestBuildFromAPack: a build that reads a pack returns the objects of a build that decodes all files, in every field.
func TestBuildFromAPack(t *testing.T) {
	built, stored := 0, 0
	for name, tree := range trees(t) {
		for _, o := range []render.Options{{}, {Source: "apps"}} {
			var first render.Cache
			want, wantErr := first.Build(tree, o)
			files := first.Stored()
			stored += len(files)
			again := render.NewCache(o, decode(t, packed.Encode(files)))
			got, err := again.Build(tree, o)
			require.Equal(t, wantErr, err, name)
			require.Equal(t, want, got, name)
			require.Equal(t, files, again.Stored(), name)
			built += len(got)
		}
	}
	require.Greater(t, stored, 20)
	require.Greater(t, built, 20)
}

// TestStaleFilesAreNotUsed: a pack of another commit never changes a build.
func TestStaleFilesAreNotUsed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tree := identified{fstest.MapFS{}}
	var pack []byte
	for step := range 60 {
		for range random.IntN(4) {
			name := fmt.Sprintf("%d/%d.yaml", random.IntN(2), random.IntN(6))
			tree.MapFS[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%s}\ndata: {n: \"%d\"}\n", name[2:3]+name[:1], random.IntN(3))}
			if random.IntN(4) == 0 {
				delete(tree.MapFS, name)
			}
		}
		var whole render.Cache
		want, err := whole.Build(tree, render.Options{})
		require.NoError(t, err)
		m := &render.Cache{}
		if pack != nil {
			m = render.NewCache(render.Options{}, decode(t, pack))
		}
		got, err := m.Build(tree, render.Options{})
		require.NoError(t, err)
		require.Equal(t, want, got, "step %d", step)
		if step%3 == 0 {
			pack = packed.Encode(m.Stored())
		}
	}
}

// TestDamagedPacks: any change of a pack is an error or other files, and never a panic or an allocation without bounds.
func TestDamagedPacks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	all := trees(t)
	failed := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var m render.Cache
		_, _ = m.Build(all[name], render.Options{})
		pack := packed.Encode(m.Stored())
		for range 200 {
			damaged := slices.Clone(pack)
			for range 1 + random.IntN(3) {
				damaged[random.IntN(len(damaged))] = byte(random.IntN(256))
			}
			if random.IntN(4) == 0 {
				damaged = damaged[:random.IntN(len(damaged))]
			}
			opened, err := packed.Open(damaged)
			if err != nil {
				failed++
				continue
			}
			for i := range opened.Groups() {
				if _, err := opened.Group(i); err != nil {
					failed++
				}
			}
		}
	}
	require.Greater(t, failed, 100)
}

// BenchmarkGroup is the cost of a decoded object, beside that of its YAML.
func BenchmarkGroup(b *testing.B) {
	tree := identified{fstest.MapFS{}}
	for i := range groupObjects {
		tree.MapFS[fmt.Sprintf("%d.yaml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, deployment, i)}
	}
	b.Run("packed", func(b *testing.B) {
		var m render.Cache
		_, err := m.Build(tree, render.Options{})
		require.NoError(b, err)
		data := packed.Encode(m.Stored())
		for b.Loop() {
			require.Len(b, decode(b, data), groupObjects)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*groupObjects), "ns/object")
	})
	b.Run("yaml", func(b *testing.B) {
		for b.Loop() {
			_, err := render.Build(tree, render.Options{})
			require.NoError(b, err)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*groupObjects), "ns/object")
	})
}

const groupObjects = 500

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%d
  namespace: shop
  labels: {app.kubernetes.io/name: web, app.kubernetes.io/part-of: shop}
spec:
  replicas: 2
  selector:
    matchLabels: {app.kubernetes.io/name: web}
  template:
    metadata:
      labels: {app.kubernetes.io/name: web, app.kubernetes.io/part-of: shop}
    spec:
      containers:
      - name: web
        image: registry.example.com/shop/web:1.0
        args: [--listen=:8080, --log-level=info]
        ports: [{name: http, containerPort: 8080}]
        resources:
          requests: {cpu: 100m, memory: 128Mi}
        readinessProbe:
          httpGet: {path: /ready, port: http}
`
