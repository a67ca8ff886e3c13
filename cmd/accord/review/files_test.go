package review

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/render"
)

// compared is a tree that knows its changes, as that of a commit does.
type compared struct{ fstest.MapFS }

func (now compared) Changes(since fs.FS) (paths []string, known bool) {
	before := since.(compared)
	for name, file := range now.MapFS {
		if old := before.MapFS[name]; old == nil || !bytes.Equal(old.Data, file.Data) {
			paths = append(paths, name)
		}
	}
	for name := range before.MapFS {
		if now.MapFS[name] == nil {
			paths = append(paths, name)
		}
	}
	return paths, true
}

// TestTouchedDirectoriesHaveAllChangedFiles edits trees at random, and lists the changed files with and without a list of changes.
func TestTouchedDirectoriesHaveAllChangedFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 16))
	pick := func(names ...string) string { return names[random.IntN(len(names))] }
	edit := func(files fstest.MapFS) fstest.MapFS {
		edited := maps.Clone(files)
		for range 1 + random.IntN(6) {
			name := pick("apps", "bases", "other") + pick("", "", "/a", "/b", "/b/c", "/.hidden") + "/" + pick("a.yaml", "b.json", "README.md", "kustomization.yaml", "script.sh", ".dot.yaml")
			edited[name] = &fstest.MapFile{Data: fmt.Append(nil, random.IntN(3))}
			if random.IntN(3) == 0 {
				delete(edited, name)
			}
		}
		return edited
	}
	files, found := fstest.MapFS{"apps/a.yaml": {}, "bases/a.yaml": {}}, 0
	for n := range 400 {
		next := edit(files)
		if n%10 == 0 {
			for range 10 {
				next = edit(next)
			}
		}
		side := func(files fs.FS) *side {
			tree := &load.Tree{}
			for _, origin := range []string{"bases/a.yaml", "bases/b/kustomization.yaml"} {
				tree.Input.Objects = append(tree.Input.Objects, render.Object{Written: &render.Written{Origin: manifest.Origin{Path: origin}}})
			}
			return &side{Checkout: load.Checkout{Files: files}, tree: tree, paths: []string{pick("apps", "apps", ".", "other/b")}}
		}
		p := comparison{base: side(compared{files}), head: side(compared{next})}
		got := p.changedFiles()
		p.base.Files, p.head.Files = files, next
		require.Equal(t, p.changedFiles(), got)
		found += len(got)
		files = next
	}
	require.Greater(t, found, 400)
}
