package source_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source"
)

func (u *upstream) link(name, target string) {
	u.t.Helper()
	require.NoError(u.t, os.MkdirAll(filepath.Dir(filepath.Join(u.dir, name)), 0o755))
	require.NoError(u.t, os.Symlink(target, filepath.Join(u.dir, name)))
}

func TestTreeIsAFileSystem(t *testing.T) {
	up := newUpstream(t)
	up.write("a/b/c/deep.yaml", "deep", "a.yaml", "a", "a-b", "sorts between a/ and a.yaml in Git", "empty", "", "run.sh", "#!/bin/sh\n", "ünï.yaml", "u")
	require.NoError(t, os.Chmod(filepath.Join(up.dir, "run.sh"), 0o755))
	up.link("to-file", "a/b/c/deep.yaml")
	up.link("to-dir", "a/b")
	up.link("a/up", "../a.yaml")
	up.link("a/chain", "../to-dir/c/deep.yaml")
	up.commit("all")
	s := fetch(t, newCache(t), source.Options{URL: up.dir})

	require.NoError(t, fstest.TestFS(s.FS, "a/b/c/deep.yaml", "a.yaml", "a-b", "empty", "run.sh", "to-file", "a/up", "a/chain", "ünï.yaml"))

	for name, content := range map[string]string{"to-file": "deep", "to-dir/c/deep.yaml": "deep", "a/up": "a", "a/chain": "deep"} {
		require.Equal(t, content, read(t, s, name), name)
	}
	for name, mode := range map[string]string{"run.sh": "-rwxr-xr-x", "a.yaml": "-rw-r--r--", "a": "drwxr-xr-x", "to-dir": "drwxr-xr-x"} {
		info, err := fs.Stat(s.FS, name)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().String(), name)
		require.Equal(t, s.Time, info.ModTime())
	}
	link, err := fs.Lstat(s.FS, "to-dir")
	require.NoError(t, err)
	require.Equal(t, fs.ModeSymlink, link.Mode().Type())
	target, err := fs.ReadLink(s.FS, "a/up")
	require.NoError(t, err)
	require.Equal(t, "../a.yaml", target)

	sub, err := fs.Sub(s.FS, "a/b")
	require.NoError(t, err)
	require.NoError(t, fstest.TestFS(sub, "c/deep.yaml"))
}

func TestTreeDoesNotChange(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "original")
	s := fetch(t, newCache(t), source.Options{URL: up.dir})
	content, err := fs.ReadFile(s.FS, "a")
	require.NoError(t, err)
	copy(content, "XXXXXXXX")
	require.Equal(t, "original", read(t, s, "a"))
	memory := s.FS.(interface {
		ReadShared(name string) ([]byte, error)
	})
	once, err := memory.ReadShared("a")
	require.NoError(t, err)
	require.Equal(t, "original", string(once))
	again, err := memory.ReadShared("a")
	require.NoError(t, err)
	require.Same(t, &once[0], &again[0])
	require.NoError(t, os.RemoveAll(up.dir))

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, err := s.FS.Open("a")
			if err != nil {
				t.Error(err)
				return
			}
			content, err := io.ReadAll(f)
			if err != nil || string(content) != "original" {
				t.Errorf("%q, %v", content, err)
			}
		})
	}
	wg.Wait()
}

func TestTreeErrors(t *testing.T) {
	up := newUpstream(t)
	up.write("dir/file", "x")
	up.link("absolute", "/etc/passwd")
	up.link("out", "../secret")
	up.link("dir/further-out", "../../dir/file")
	up.link("through", "dir/further-out")
	up.link("out-dir", "..")
	up.link("circle", "circle")
	up.link("a", "b")
	up.link("b", "a")
	up.link("dangling", "dir/gone")
	up.link("file-as-dir", "dir/file/x")
	up.commit("links")
	s := fetch(t, newCache(t), source.Options{URL: up.dir})

	for _, test := range []struct {
		name string
		kind error
		says string
	}{
		{"absolute", source.ErrSymlink, `open absolute: symbolic link refused: link "absolute" -> "/etc/passwd" leads out of the tree`},
		{"out", source.ErrSymlink, `"out" -> "../secret" leads out of the tree`},
		{"dir/further-out", source.ErrSymlink, `"dir/further-out" -> "../../dir/file" leads out of the tree`},
		{"through", source.ErrSymlink, `"dir/further-out" -> "../../dir/file" leads out of the tree`},
		{"out-dir/secret", source.ErrSymlink, `"out-dir" -> ".." leads out of the tree`},
		{"circle", source.ErrSymlink, "part of a loop"},
		{"a", source.ErrSymlink, "part of a loop"},
		{"dangling", fs.ErrNotExist, `link "dangling" -> "dir/gone"`},
		{"file-as-dir", fs.ErrNotExist, "file-as-dir"},
		{"dir/file/x", fs.ErrNotExist, "dir/file/x"},
		{"dir/none", fs.ErrNotExist, "dir/none"},
		{"../secret", fs.ErrInvalid, "../secret"},
		{"/etc/passwd", fs.ErrInvalid, "/etc/passwd"},
		{"", fs.ErrInvalid, ""},
	} {
		_, err := s.FS.Open(test.name)
		require.ErrorIs(t, err, test.kind, test.name)
		require.Contains(t, err.Error(), test.says)
		_, err = fs.ReadFile(s.FS, test.name)
		require.ErrorIs(t, err, test.kind, test.name)
		_, err = fs.Stat(s.FS, test.name)
		require.ErrorIs(t, err, test.kind, test.name)
		_, err = fs.ReadDir(s.FS, test.name)
		require.ErrorIs(t, err, test.kind, test.name)
	}
	_, err := fs.ReadFile(s.FS, "dir")
	require.ErrorContains(t, err, "is a directory")
	_, err = fs.ReadDir(s.FS, "dir/file")
	require.ErrorContains(t, err, "not a directory")

	require.NoError(t, fs.WalkDir(s.FS, ".", func(_ string, _ fs.DirEntry, err error) error { return err }),
		"walking does not follow links")
}

func TestTreeWithNamesThatAreNone(t *testing.T) {
	for name, listing := range map[string]string{
		"up":    "100644 blob %s\t..\n",
		"here":  "100644 blob %s\t.\n",
		"twice": "100644 blob %[1]s\ta\n100644 blob %[1]s\ta\n",
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstream(t)
			up.commit("first", "a", "1")
			blob := up.git("rev-parse", "HEAD:a")
			up.write("listing", fmt.Sprintf(listing, blob))
			made := up.git("-c", "alias.make=!git mktree <listing", "make")
			up.git("update-ref", "refs/heads/main", up.git("commit-tree", "-m", "made", made))
			_, err := newCache(t).Fetch(context.Background(), source.Options{URL: up.dir})
			require.Error(t, err)
			require.Regexp(t, "malformed file name|twice", err.Error())
		})
	}
}

func TestSubmoduleIsAnEmptyDirectory(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	up.git("update-index", "--add", "--cacheinfo", "160000,"+hash+",vendor/lib")
	up.git("commit", "-q", "-m", "submodule")
	s := fetch(t, newCache(t), source.Options{URL: up.dir})
	entries, err := fs.ReadDir(s.FS, "vendor/lib")
	require.NoError(t, err)
	require.Empty(t, entries)
	require.NoError(t, fstest.TestFS(s.FS, "a", "vendor/lib"))
}

func TestLimits(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, up *upstream, o source.Options) {
		c := newCache(t)
		up.commit("first", "small", "1", "docs/film.mp4", strings.Repeat("x", 5000), "docs/more", strings.Repeat("y", 3000))

		o.MaxFileSize = 4000
		s := fetch(t, c, o)
		info, err := fs.Stat(s.FS, "docs/film.mp4")
		require.NoError(t, err)
		require.EqualValues(t, 5000, info.Size())
		_, err = fs.ReadFile(s.FS, "docs/film.mp4")
		require.ErrorIs(t, err, source.ErrTooLarge)
		require.EqualError(t, err, "read docs/film.mp4: too large: the file has 4.9 KiB, the limit is 3.9 KiB")
		_, err = s.FS.Open("docs/film.mp4")
		require.ErrorIs(t, err, source.ErrTooLarge)
		require.Equal(t, "1", read(t, s, "small"))

		o.MaxTreeSize = 2000
		for _, c := range []*source.Cache{c, newCache(t)} {
			for range 2 {
				_, err = c.Fetch(context.Background(), o)
				require.ErrorIs(t, err, source.ErrTooLarge)
				require.Contains(t, err.Error(), `the limit is 2.0 KiB; the largest is "docs/more" with 2.9 KiB`)
			}
		}

		o.MaxFileSize, o.MaxTreeSize = 0, 0
		require.NoError(t, fstest.TestFS(fetch(t, c, o).FS, "docs/film.mp4"), "the limits are each caller's own")
	})
}
