package render

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/compact"
)

// TestCacheBuildsTheSame edits a tree at random. Builds with and without a Cache return the same objects and errors.
func TestCacheBuildsTheSame(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		tree, memory, byID, small := fstest.MapFS{}, &Cache{}, &Cache{}, NewCompactCache(&compact.Texts{})
		for range 25 {
			edit(random, tree)
			options := Options{Source: "shop", Dir: []string{"", "", "", "apps"}[random.IntN(4)]}
			want, wantErr := Build(tree, options)
			for _, m := range []struct {
				cache *Cache
				from  fs.FS
			}{{memory, tree}, {byID, hashed{tree}}, {small, hashed{tree}}} {
				got, err := m.cache.Build(m.from, options)
				if wantErr != nil {
					require.EqualError(t, err, wantErr.Error(), "seed %d", seed)
					continue
				}
				require.NoError(t, err, "seed %d", seed)
				require.Equal(t, want, whole(got), "seed %d", seed)
			}
		}
	}
}

// whole returns the objects with manifests that are not in compact form.
func whole(objects []Object) []Object {
	all := slices.Clone(objects)
	for i := range all {
		all[i].Manifest = manifest.Whole(all[i].Manifest.Get())
	}
	return all
}

// hashed is a tree whose files have a ContentID.
type hashed struct{ fstest.MapFS }

func (h hashed) Stat(name string) (fs.FileInfo, error) {
	info, err := h.MapFS.Stat(name)
	if err != nil {
		return nil, err
	}
	return hashedInfo{info, h.MapFS[name]}, nil
}

// ReadDir returns entries whose descriptions have the hash, too.
func (h hashed) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := h.MapFS.ReadDir(name)
	for i, e := range entries {
		if info, err := e.Info(); err == nil {
			entries[i] = fs.FileInfoToDirEntry(hashedInfo{info, h.MapFS[path.Join(name, e.Name())]})
		}
	}
	return entries, err
}

type hashedInfo struct {
	fs.FileInfo
	file *fstest.MapFile
}

func (i hashedInfo) ContentID() string {
	if i.file == nil {
		return ""
	}
	sum := sha256.Sum256(i.file.Data)
	return string(sum[:])
}

// edit changes one file of a tree with plain files, shared bases and occasional mistakes.
func edit(random *rand.Rand, tree fstest.MapFS) {
	file := func(name, text string) { tree[name] = &fstest.MapFile{Data: []byte(text)} }
	if len(tree) == 0 {
		file("apps/a.yaml", settings("a", 0))
		file("base/kustomization.yaml", "resources: [web.yaml]\n")
		file("base/web.yaml", settings("web", 0))
		for _, overlay := range []string{"apps/eu", "apps/us"} {
			file(overlay+"/kustomization.yaml", "resources: [../../base]\nnameSuffix: -"+overlay[5:]+"\n")
		}
	}
	n := random.IntN(4)
	switch random.IntN(8) {
	case 0:
		file(fmt.Sprintf("apps/%d.yaml", n), settings(fmt.Sprint("c", random.IntN(5)), n))
	case 1:
		delete(tree, fmt.Sprintf("apps/%d.yaml", n))
	case 2:
		file("base/web.yaml", settings("web", n))
	case 3:
		file("base/web.yaml", settings("web", n)+"\r\n---\r\n"+settings("more", n))
	case 4:
		file("apps/eu/kustomization.yaml", fmt.Sprintf("resources: [../../base]\nnamePrefix: p%d-\npatches: [{path: patch.yaml}]\n", n))
		file("apps/eu/patch.yaml", settings("web", n+10))
	case 5:
		file("apps/eu/patch.yaml", settings("web", n+10))
	case 6:
		file("apps/a.yaml", []string{"a: [", settings("a", n), "kind: List\napiVersion: v1\nitems: []\n", settings("web-us", n)}[n])
	case 7:
		file("apps/us/kustomization.yaml", []string{"resources: [../../base]\n", "resources: [missing.yaml]\n", "resources: [../eu]\nnameSuffix: -us\n", "nameSuffix: -x\nresources: [../../base]\n"}[n])
	}
}

func settings(name string, n int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {n: \"%d\"}\n", name, n)
}

func TestMemoryReadsWhatChanged(t *testing.T) {
	tree, memory := fstest.MapFS{}, &Cache{}
	for name, text := range map[string]string{
		"apps/a.yaml": settings("a", 0), "base/web.yaml": settings("web", 0), "base/kustomization.yaml": "resources: [web.yaml]\n",
		"apps/eu/kustomization.yaml": "resources: [../../base]\nnameSuffix: -eu\n",
		"apps/us/kustomization.yaml": "resources: [../../base]\nnameSuffix: -us\n",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	before, err := memory.Build(tree, Options{})
	require.NoError(t, err)
	tree["apps/us/kustomization.yaml"] = &fstest.MapFile{Data: []byte("resources: [../../base]\nnameSuffix: -america\n")}
	after, err := memory.Build(tree, Options{})
	require.NoError(t, err)

	var kept []string
	for _, o := range after {
		if slices.ContainsFunc(before, func(b Object) bool { return b.Manifest == o.Manifest }) {
			kept = append(kept, o.Manifest.Get().GetName())
		}
	}
	require.ElementsMatch(t, []string{"a", "web-eu"}, kept, "the overlay that changed is made again, and nothing else")
}
