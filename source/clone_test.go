package source_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"

	"github.com/accord-dev/accord/source"
)

// theClone is the one clone in a cache directory.
func theClone(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "clone.git"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

func packsOf(t *testing.T, clone string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(clone, "objects", "pack", "*.pack"))
	require.NoError(t, err)
	return found
}

func TestSameCommitCostsOneQuestion(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	server := serveHTTP(t, up, false)
	dir := t.TempDir()
	o := source.Options{Insecure: true, URL: server.url()}
	c := openGit(t, dir)
	for range 5 {
		fetch(t, c, o)
	}
	require.EqualValues(t, 5, server.asked.Load())
	require.EqualValues(t, 1, server.packs.Load())

	t.Log("after a restart too: it is on disk")
	s := fetch(t, openGit(t, dir), o)
	require.Equal(t, "1", read(t, s, "a"))
	require.EqualValues(t, 1, server.packs.Load())
}

func TestCloneIsShallowAndGrowsByWhatDiffers(t *testing.T) {
	up := newUpstream(t)
	up.commit("old", "old", strings.Repeat("old news ", 1000))
	up.git("rm", "-q", "old")
	var big strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&big, "line %d\n", i*i)
	}
	up.commit("first", "big", big.String(), "small", "1", "dir/other", "x")
	server := serveHTTP(t, up, false)
	dir := t.TempDir()
	c := openGit(t, dir)
	fetch(t, c, source.Options{Insecure: true, URL: server.url()})
	clone := &upstream{t, theClone(t, dir)}
	require.Equal(t, "1", clone.git("rev-list", "--count", "--all"), "no history")
	clone.git("fsck", "--strict")

	require.Contains(t, clone.git("count-objects", "-v"), "count: 0\n")

	up.commit("second", "big", strings.Replace(big.String(), "line 16\n", "line 17\n", 1))
	up.commit("third", "small", "2")
	s := fetch(t, c, source.Options{Insecure: true, URL: server.url()})
	require.Equal(t, "2", read(t, s, "small"))
	require.Contains(t, read(t, s, "big"), "line 17\n")
	require.Contains(t, clone.git("count-objects", "-v"), "count: 4\n", "a commit, a directory and two files")
	clone.git("fsck", "--strict")
	require.Less(t, server.sent.Load(), int64(60_000), "bytes; one line of the large file is not the whole file")
}

func TestCloneDoesNotGrowForever(t *testing.T) {
	t.Parallel()
	up := newUpstream(t)
	server := serveHTTP(t, up, false)
	dir := t.TempDir()
	c := openGit(t, dir)
	var counts []int
	for i := range 34 {
		up.commit("next", "a", fmt.Sprint(i))
		s := fetch(t, c, source.Options{Insecure: true, URL: server.url()})
		require.Equal(t, fmt.Sprint(i), read(t, s, "a"))
		kept, err := filepath.Glob(filepath.Join(theClone(t, dir), "refs", "accord", "*"))
		require.NoError(t, err)
		counts = append(counts, len(kept))
	}
	require.Equal(t, 32, counts[31])
	require.Equal(t, []int{1, 2}, counts[32:], "made again after 32")
	require.Contains(t, (&upstream{t, theClone(t, dir)}).git("count-objects", "-v"), "in-pack: 3\n")
}

func TestDamagedCloneIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, clone string){
		"pack cut short":  func(t *testing.T, clone string) { require.NoError(t, os.Truncate(packsOf(t, clone)[0], 60)) },
		"pack gone":       func(t *testing.T, clone string) { require.NoError(t, os.Remove(packsOf(t, clone)[0])) },
		"pack flipped":    func(t *testing.T, clone string) { overwrite(t, packsOf(t, clone)[0], 40, 200) },
		"pack is zeros":   func(t *testing.T, clone string) { overwrite(t, packsOf(t, clone)[0], 0, 1<<20) },
		"index flipped":   func(t *testing.T, clone string) { overwrite(t, idx(t, clone), 1040, 1100) },
		"index fan-out":   func(t *testing.T, clone string) { overwrite(t, idx(t, clone), 8, 1000) },
		"index cut short": func(t *testing.T, clone string) { require.NoError(t, os.Truncate(idx(t, clone), 100)) },
		"index is empty":  func(t *testing.T, clone string) { require.NoError(t, os.Truncate(idx(t, clone), 0)) },
		"index gone":      func(t *testing.T, clone string) { require.NoError(t, os.Remove(idx(t, clone))) },
		"objects gone":    func(t *testing.T, clone string) { require.NoError(t, os.RemoveAll(filepath.Join(clone, "objects"))) },
		"everything gone": func(t *testing.T, clone string) { require.NoError(t, os.RemoveAll(filepath.Dir(clone))) },
		"a file instead": func(t *testing.T, clone string) {
			require.NoError(t, os.RemoveAll(clone))
			require.NoError(t, os.WriteFile(clone, []byte("?"), 0o600))
		},
		"refs and shallow are noise": func(t *testing.T, clone string) {
			require.NoError(t, os.WriteFile(filepath.Join(clone, "shallow"), []byte("noise\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(clone, "packed-refs"), []byte("noise\n"), 0o600))
		},
		"left half done": func(t *testing.T, clone string) {
			require.NoError(t, os.Mkdir(clone+".new-1", 0o700))
			require.NoError(t, os.Mkdir(clone+".old", 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(clone, "objects", "pack", "tmp_pack_1"), []byte("half"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := newUpstream(t)
			up.commit("first", "a/file", strings.Repeat("some content\n", 100), "b", "2")
			server := serveHTTP(t, up, false)
			dir := t.TempDir()
			o := source.Options{Insecure: true, URL: server.url()}
			first := fetch(t, openGit(t, dir), o)

			t.Log("then the same commit")
			damage(t, theClone(t, dir))
			again := fetch(t, openGit(t, dir), o)
			require.Equal(t, first.Tree, again.Tree)
			require.NoError(t, fstest.TestFS(again.FS, "a/file", "b"))

			t.Log("then another commit")
			damage(t, theClone(t, dir))
			up.commit("second", "b", "3")
			require.Equal(t, "3", read(t, fetch(t, openGit(t, dir), o), "b"))
			left, err := filepath.Glob(filepath.Join(dir, "*", "clone.git.*"))
			require.NoError(t, err)
			require.Empty(t, left)
			require.NoError(t, fstest.TestFS(first.FS, "a/file", "b"), "snapshots do not mind")
		})
	}
}

func idx(t *testing.T, clone string) string {
	return strings.TrimSuffix(packsOf(t, clone)[0], ".pack") + ".idx"
}

// overwrite zeroes bytes of a file, as a bad disk or a lost write does.
func overwrite(t *testing.T, name string, from, to int) {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	clear(content[from:min(to, len(content))])
	require.NoError(t, os.Chmod(name, 0o600))
	require.NoError(t, os.WriteFile(name, content, 0o600))
}

func TestCommitThatIsNotATip(t *testing.T) {
	up := newUpstream(t)
	first := up.commit("first", "a", "1")
	up.commit("second", "a", "2")
	up.commit("third", "a", "3")
	up.git("checkout", "-q", "-b", "side")
	up.commit("aside", "a", "aside")
	side := up.commit("aside, more", "a", "more")
	up.commit("aside, end", "a", "end")
	up.git("checkout", "-q", "main")
	server := serveSSH(t) // which does not give out commits by hash
	o := source.Options{Insecure: true, URL: server.url(up), Auth: server.auth()}

	c := newCache(t)
	require.Equal(t, "1", read(t, fetch(t, c, at(o, source.Ref{Commit: first})), "a"))
	require.Equal(t, "3", read(t, fetch(t, c, o), "a"), "the branch goes on from there")
	require.Equal(t, "more", read(t, fetch(t, c, at(o, source.Ref{Commit: side, Branch: "side"})), "a"))

	_, err := newCache(t).Fetch(context.Background(), at(o, source.Ref{Commit: side, Branch: "main"}))
	require.ErrorIs(t, err, source.ErrRefNotFound)
	require.Contains(t, err.Error(), `it is not in the history of branch "main"`)

	up.git("config", "uploadpack.allowReachableSHA1InWant", "true")
	dir := t.TempDir()
	require.Equal(t, "1", read(t, fetch(t, openGit(t, dir), at(o, source.Ref{Commit: first})), "a"))
	require.Equal(t, "1", (&upstream{t, theClone(t, dir)}).git("rev-list", "--count", "--all"), "one commit, not the history")
}

func TestLockOfAnotherProcess(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	server := serveHTTP(t, up, false)
	dir := t.TempDir()
	o := source.Options{Insecure: true, URL: server.url()}
	fetch(t, openGit(t, dir), o)
	held, err := fileutil.TryLockFile(filepath.Join(filepath.Dir(theClone(t, dir)), "lock"), os.O_RDWR, 0o600)
	require.NoError(t, err)

	c := openGit(t, dir)
	o.Timeout = 100 * time.Millisecond
	_, err = c.Fetch(context.Background(), o)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	time.AfterFunc(50*time.Millisecond, func() { _ = held.Close() })
	o.Timeout = 0
	require.Equal(t, "1", read(t, fetch(t, c, o), "a"))
}
