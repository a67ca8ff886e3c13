package local

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

// TestDefectR6ADamagedStoreIsRefused: etcd panics on these stores or never becomes ready.
func TestDefectR6ADamagedStoreIsRefused(t *testing.T) {
	prepareProcess(slog.New(slog.DiscardHandler))
	whole := filepath.Join(t.TempDir(), "etcd")
	require.NoError(t, checkStore(whole), "there is none yet")
	startAndStop(t, whole)

	log := func(dir string) string {
		files, err := filepath.Glob(filepath.Join(dir, "member", "wal", "*.wal"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		return files[0]
	}
	db := func(dir string) string { return filepath.Join(dir, "member", "snap", "db") }
	truncate := func(file func(string) string, size int64) func(*testing.T, string) {
		return func(t *testing.T, dir string) { require.NoError(t, os.Truncate(file(dir), size)) }
	}
	remove := func(path ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(append([]string{dir}, path...)...)))
		}
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, string)
		file   string // below the store; empty: no damage
		cause  string
	}{
		"nothing":                      {func(*testing.T, string) {}, "", ""},
		"the log is removed":           {remove("member", "wal"), "member/wal", "the write-ahead log is missing"},
		"the segments are removed":     {func(t *testing.T, dir string) { require.NoError(t, os.Remove(log(dir))) }, "member/wal", "the write-ahead log is missing"},
		"the log is emptied":           {truncate(log, 0), "member/wal", "the write-ahead log cannot be read"},
		"the log is truncated":         {truncate(log, 400), "member/wal", "the write-ahead log "},
		"the log is overwritten":       {func(t *testing.T, dir string) { overwrite(t, log(dir)) }, "member/wal", ""},
		"the database is emptied":      {truncate(db, 0), "member/snap/db", "the database is empty"},
		"the database is truncated":    {truncate(db, 8192), "member/snap/db", "the database has 8192 of "},
		"the database is overwritten":  {func(t *testing.T, dir string) { overwrite(t, db(dir)) }, "member/snap/db", "the database cannot be opened"},
		"etcd stopped in the creation": {remove("member", "snap", "db"), "", ""},
		"everything is removed":        {remove("member"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "etcd")
			require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			c.damage(t, dir)
			err := checkStore(dir)
			if c.file == "" {
				require.NoError(t, err)
				return
			}
			damaged := &DamagedStoreError{}
			require.ErrorAs(t, err, &damaged)
			require.Equal(t, filepath.Join(dir, c.file), damaged.File)
			require.ErrorContains(t, damaged.Cause, c.cause)

			require.NoError(t, setAside(dir, time.Unix(0, 0)))
			require.DirExists(t, dir+".before-19700101T000000Z")
			require.NoError(t, checkStore(dir))
		})
	}
}

// startAndStop runs a store for a moment, so that it has entries.
func startAndStop(t *testing.T, dir string) {
	t.Helper()
	socket, remove, err := socketPath(filepath.Dir(dir))
	require.NoError(t, err)
	s, err := startStore(t.Context(), dir, socket, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for range 10 { // so that the database has entries beyond the first bytes of the log
		_, err := s.etcd.Server.Put(t.Context(), &etcdserverpb.PutRequest{Key: []byte("key"), Value: []byte("value")})
		require.NoError(t, err)
	}
	require.NoError(t, s.close())
	require.NoError(t, remove())
	require.NoError(t, checkStore(dir), "a store that was stopped is whole")
}

// overwrite replaces the start of a file, as another program does by mistake.
func overwrite(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	for range 2048 {
		_, err = f.WriteString("not a store!")
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
}
