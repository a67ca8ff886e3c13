package source_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/source"
)

func lazyCache(t *testing.T) *source.Cache {
	t.Helper()
	c, err := source.OpenGit(t.TempDir(), source.Policy{Local: true, Networks: egress.Everywhere(), Lazy: true})
	require.NoError(t, err)
	return c
}

// TestLazyTreeIsAFileSystem: files that are read when they are opened are those that are read at once, also where the content of a file
// is the target of a link.
func TestLazyTreeIsAFileSystem(t *testing.T) {
	up := newUpstream(t)
	c := lazyCache(t)
	up.commit("first", "a.yaml", "a", "text", "../a.yaml", "large", "0123456789")
	fetch(t, c, source.Options{URL: up.dir, MaxFileSize: 9})
	up.link("b/up", "../a.yaml")
	up.commit("second", "b/z", "../a.yaml", "empty", "")
	o := source.Options{URL: up.dir, MaxFileSize: 9}
	lazy, whole := fetch(t, c, o), fetch(t, newCache(t), o)
	require.NoError(t, fstest.TestFS(fetch(t, lazyCache(t), source.Options{URL: up.dir}).FS, "a.yaml", "text", "b/up", "b/z", "empty", "large"))
	require.Equal(t, "a", read(t, lazy, "b/up"))
	up.git("gc", "-q", "--prune=now")
	require.NoError(t, fs.WalkDir(whole.FS, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		want, wantErr := fs.ReadFile(whole.FS, name)
		got, err := fs.ReadFile(lazy.FS, name)
		require.Equal(t, want, got, name)
		require.Equal(t, wantErr, err, name)
		return nil
	}))
	_, err := fs.ReadFile(lazy.FS, "large")
	require.ErrorIs(t, err, source.ErrTooLarge)
}

func TestLazyTreeOfADamagedRepository(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a.yaml", "a")
	s := fetch(t, lazyCache(t), source.Options{URL: up.dir})
	require.NoError(t, os.RemoveAll(filepath.Join(up.dir, ".git", "objects")))
	_, err := fs.ReadFile(s.FS, "a.yaml")
	require.Error(t, err)
	info, err := fs.Stat(s.FS, "a.yaml")
	require.NoError(t, err)
	require.EqualValues(t, 1, info.Size())
}
