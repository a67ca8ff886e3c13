package cluster

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSetsOfFiles: any order of changes to the same files has the same digest, and the changes between two sets are those of their files.
func TestSetsOfFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var n, before *node
	files, then := map[string]string{}, map[string]string{}
	for step := range 3000 {
		path, content := fmt.Sprintf("ns-%d/ConfigMap/%d.json", random.IntN(7), random.IntN(60)), fmt.Sprint(random.IntN(3))
		if random.IntN(3) == 0 {
			n = n.without(path)
			delete(files, path)
		} else {
			n = n.with(newFile(path, []byte(content)))
			files[path] = content
		}
		if step%100 != 0 {
			continue
		}
		var again *node
		for _, path := range slices.Backward(slices.Sorted(maps.Keys(files))) {
			again = again.with(newFile(path, []byte(files[path])))
			require.Equal(t, files[path], string(n.get(path).content))
		}
		require.Equal(t, again.digest(), n.digest())
		require.Equal(t, len(files), n.count)
		var want, got []string
		for path := range files {
			if was, known := then[path]; !known || was != files[path] {
				want = append(want, path)
			}
		}
		for path := range then {
			if _, known := files[path]; !known {
				want = append(want, path)
			}
		}
		got, known := newTree(n).Changes(newTree(before))
		require.True(t, known)
		require.ElementsMatch(t, want, got)
		before, then = n, maps.Clone(files)
	}
	for path := range files {
		n = n.without(path)
	}
	require.Nil(t, n)
}

func TestTreeIsAFileSystem(t *testing.T) {
	var n *node
	for _, path := range []string{"shop/ConfigMap/a.json", "shop/Deployment.apps/web.json", "_cluster/Namespace/shop.json"} {
		n = n.with(newFile(path, []byte(path)))
	}
	require.NoError(t, fstest.TestFS(newTree(n), "shop/ConfigMap/a.json", "shop/Deployment.apps/web.json", "_cluster/Namespace/shop.json"))
	require.NoError(t, fstest.TestFS(newTree(nil)))
	_, known := newTree(n).Changes(fstest.MapFS{})
	require.False(t, known)
	_, err := fs.ReadFile(newTree(n), "shop/ConfigMap/b.json")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestWindow(t *testing.T) {
	begin := time.Unix(0, 0)
	changes := func(each time.Duration, until time.Duration) (w window) {
		for at := time.Duration(0); at <= until; at += each {
			w = w.add(begin.Add(at))
		}
		return w
	}
	for name, x := range map[string]struct {
		w   window
		due time.Duration
	}{
		"one change":              {changes(time.Hour, 0), pause},
		"20 changes a second":     {changes(50*time.Millisecond, 150*time.Millisecond), pause},
		"a burst waits for a gap": {changes(time.Millisecond, 500*time.Millisecond), 500*time.Millisecond + pause},
		"but not for ever":        {changes(time.Millisecond, 1990*time.Millisecond), longestPause},
	} {
		require.Equal(t, begin.Add(x.due), x.w.due(), name)
	}
}
