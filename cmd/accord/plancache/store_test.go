package plancache

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func opened(t *testing.T, dir, program string, limit int64) *Store {
	t.Helper()
	s, err := open(dir, program, limit)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// only returns the path of the one entry.
func only(t *testing.T, dir string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func TestEntriesAreReadAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plan")
	s := opened(t, dir, "p", 1<<20)
	require.Nil(t, s.Read("a"))
	require.NoError(t, s.Write("a", []byte("one")))
	require.NoError(t, s.Write("a", []byte("two")))
	require.Equal(t, "two", string(opened(t, dir, "p", 1<<20).Read("a")))
	require.Nil(t, s.Read("b"))
	for _, path := range []string{dir, only(t, dir)} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "manifests may be private: %s", path)
	}
	var none *Store
	require.Nil(t, none.Read("a"))
	require.NoError(t, none.Write("a", []byte("one")))
	require.NoError(t, none.Close())
}

func TestEntriesOfAnotherProgramOrNameAreAbsent(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	s := opened(t, dir, "p", 1<<20)
	require.NoError(t, s.Write("a", []byte("one")))
	require.Nil(t, opened(t, dir, "q", 1<<20).Read("a"), "another program")
	require.NoError(t, os.Rename(only(t, dir), filepath.Join(dir, fileOf("b"))))
	require.Nil(t, s.Read("b"), "the entry of another name")
	real, err := identity()
	require.NoError(t, err)
	require.NotEmpty(t, real)
}

func TestDamagedEntriesAreAbsent(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	s := opened(t, dir, "p", 1<<20)
	require.NoError(t, s.Write("a", []byte(strings.Repeat("content ", 20))))
	whole, err := os.ReadFile(only(t, dir))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		damaged := append([]byte{}, whole...)
		damaged[random.IntN(len(damaged))] ^= byte(1 + random.IntN(255))
		if random.IntN(3) == 0 {
			damaged = whole[:random.IntN(len(whole))]
		}
		require.NoError(t, os.WriteFile(only(t, dir), damaged, 0o600))
		require.Nil(t, s.Read("a"))
	}
	require.NoError(t, os.WriteFile(only(t, dir), whole, 0o600))
	require.NotNil(t, s.Read("a"))
}

// TestCacheThatAnotherUserCanWrite: an entry of another user could change a plan, so such a directory is refused, and such an
// entry is absent.
func TestCacheThatAnotherUserCanWrite(t *testing.T) {
	for _, mode := range []fs.FileMode{0o720, 0o702, 0o777} {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, mode))
		_, err := open(dir, "p", 1<<20)
		refused, is := errors.AsType[*UnsafeError](err)
		require.True(t, is, "%v: %v", mode, err)
		require.Contains(t, refused.Error(), "can be written to by others")
	}
	dir := filepath.Join(t.TempDir(), "plan")
	s := opened(t, dir, "p", 1<<20)
	require.NoError(t, s.Write("a", []byte("one")))
	require.NoError(t, os.Chmod(only(t, dir), 0o666))
	require.Nil(t, s.Read("a"), "an entry that others can write to")
	require.NoError(t, os.Chmod(only(t, dir), 0o644))
	require.NotNil(t, s.Read("a"))

	elsewhere := filepath.Join(t.TempDir(), "target")
	require.NoError(t, os.Rename(only(t, dir), elsewhere))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, fileOf("a"))))
	require.Nil(t, s.Read("a"), "a link out of the directory")

	if os.Geteuid() == 0 { // only root can give a directory away
		require.NoError(t, os.Chown(dir, 1000, -1))
		_, err := open(dir, "p", 1<<20)
		require.ErrorContains(t, err, "belongs to user 1000")
	}
}

func TestOldEntriesAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plan")
	s := opened(t, dir, "p", 900)
	content := make([]byte, 300)
	for _, name := range []string{"a", "b"} {
		require.NoError(t, s.Write(name, content))
		old := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, fileOf(name)), old, old))
	}
	require.NotNil(t, s.Read("a"), "reading an entry keeps it")
	require.NoError(t, s.Write("c", content))
	require.NotNil(t, s.Read("a"))
	require.Nil(t, s.Read("b"), "the entry that was not used for the longest time")
	require.NotNil(t, s.Read("c"))

	require.NoError(t, s.Write("d", make([]byte, 2000)))
	require.Nil(t, s.Read("d"), "an entry above the limit is not kept")
	require.NotNil(t, s.Read("c"), "and removes no other")

	unfinished := filepath.Join(dir, "unfinished")
	require.NoError(t, os.WriteFile(unfinished, content, 0o600))
	require.NoError(t, s.Write("c", content))
	require.FileExists(t, unfinished, "another process may be writing it")
	old := time.Now().Add(-2 * unfinishedAge)
	require.NoError(t, os.Chtimes(unfinished, old, old))
	require.NoError(t, s.Write("c", content))
	require.NoFileExists(t, unfinished)
}
