package source_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source"
)

// differing is implemented by the file systems of snapshots.
type differing interface {
	Changes(since fs.FS) (paths []string, known bool)
}

// entriesOf returns all files and directories of a tree with their content and mode.
func entriesOf(t *testing.T, tree fs.FS) map[string]string {
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if name == "." {
			return nil
		}
		info, err := e.Info()
		require.NoError(t, err)
		all[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := fs.ReadFile(tree, name)
			require.NoError(t, err)
			all[name] += string(content)
		}
		return nil
	}))
	return all
}

// TestChanges edits a repository at random, and compares the changes of each commit with all files of both trees.
func TestChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	up := newUpstream(t)
	for i := range 20 {
		up.write(fmt.Sprintf("d%d/e%d/%d.yaml", i%3, i%2, i), fmt.Sprint(i))
	}
	up.commit("first")
	c := openGit(t, t.TempDir())
	before := fetch(t, c, source.Options{URL: up.dir})
	links := 0
	for n := range 80 {
		dir := fmt.Sprintf("d%d/e%d", random.IntN(4), random.IntN(3))
		name := fmt.Sprintf("%s/%d.yaml", dir, random.IntN(20))
		at := filepath.Join(up.dir, name)
		switch random.IntN(8) {
		case 0, 1, 2:
			require.NoError(t, os.RemoveAll(at))
			up.write(name, fmt.Sprint(n))
		case 3:
			require.NoError(t, os.RemoveAll(at))
		case 4:
			if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
				require.NoError(t, os.Chmod(at, info.Mode()^0o111))
			}
		case 5:
			require.NoError(t, os.RemoveAll(at))
			up.write(name+"/below.yaml", "a directory with the name of a file")
		case 6:
			_ = os.Rename(filepath.Join(up.dir, dir), filepath.Join(up.dir, fmt.Sprintf("d9-%d", n))) // if it exists
		case 7:
			link := filepath.Join(up.dir, "link")
			if os.Remove(link) != nil && random.IntN(3) == 0 {
				require.NoError(t, os.Symlink("d0", link))
			}
		}
		up.commit(fmt.Sprint(n))
		now := fetch(t, c, source.Options{URL: up.dir})
		was, is := entriesOf(t, before.FS), entriesOf(t, now.FS)
		want := map[string]bool{}
		for name, content := range is {
			if old, had := was[name]; !had || old != content {
				want[name] = true
			}
		}
		for name := range was {
			if _, has := is[name]; !has {
				want[name] = true
			}
		}
		got, known := now.FS.(differing).Changes(before.FS)
		if strings.HasPrefix(was["link"]+is["link"], "L") {
			require.False(t, known)
			links++
		} else {
			require.True(t, known)
			slices.Sort(got)
			require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Compact(got))
		}
		before = now
	}
	require.NotZero(t, links)
	require.Less(t, links, 60)
	_, known := before.FS.(differing).Changes(os.DirFS(up.dir))
	require.False(t, known)
}
