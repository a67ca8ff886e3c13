package local

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.uber.org/zap"

	"github.com/accord-dev/accord/internal/diskspace"
)

// TestDefectR6AFullStoreRefusesWrites: reads go on, also after a restart, and writes when there is space again.
func TestDefectR6AFullStoreRefusesWrites(t *testing.T) {
	dir, free := filepath.Join(t.TempDir(), "etcd"), uint64(1<<40)
	var log strings.Builder
	watch := spaceWatch{dir: dir, log: slog.New(slog.NewTextHandler(&log, nil)), space: func(string) (diskspace.Space, error) {
		return diskspace.Space{Free: free, Total: 1 << 40}, nil
	}}
	start := func() (stop func()) {
		socket, remove, err := socketPath(filepath.Dir(dir))
		require.NoError(t, err)
		watch.store, err = startStore(t.Context(), dir, socket, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		return func() {
			require.NoError(t, watch.store.close())
			require.NoError(t, remove())
		}
	}
	put := func() error {
		_, err := watch.store.etcd.Server.Put(t.Context(), &etcdserverpb.PutRequest{Key: []byte("key"), Value: []byte("value")})
		return err
	}
	check := func(with uint64) {
		free = with
		watch.check(context.WithoutCancel(t.Context()))
	}

	stop := start()
	check(1 << 40)
	require.NoError(t, put())
	require.Empty(t, log.String())
	check(1 << 36)
	require.NoError(t, put())
	require.Contains(t, log.String(), "almost full")
	check(reservedSpace - 1)
	require.ErrorContains(t, put(), "no space")
	require.Contains(t, log.String(), `level=ERROR msg="the hub refuses writes, because the file system of its data directory is full; make space`)
	require.Contains(t, log.String(), dir)
	got, err := watch.store.etcd.Server.Range(t.Context(), &etcdserverpb.RangeRequest{Key: []byte("key")})
	require.NoError(t, err)
	require.Len(t, got.Kvs, 1)
	check(leastSpace - 1)
	require.Error(t, put(), "some space is no margin yet")
	stop()

	stop = start()
	defer stop()
	require.Error(t, put(), "etcd keeps the alarm")
	check(leastSpace)
	require.NoError(t, put())
	require.Contains(t, log.String(), "the hub accepts writes again")
	check(1 << 40)
	require.Contains(t, log.String(), "has space again")
}

func TestLastWords(t *testing.T) {
	words := lastWords{dir: t.TempDir()}
	said := words.sentence("failed to commit tx", []zap.Field{zap.String("path", "db"), zap.Error(errors.New("write db: no space left on device"))})
	require.Contains(t, said, "the hub stops, because its store in "+words.dir+" failed: failed to commit tx: write db: no space left on device; ")
	require.Contains(t, said, "start again")
}
