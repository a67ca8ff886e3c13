package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// lock waits until no other caller uses the clone, in this process or another.
func (r *repository) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	file, err := r.lockFile(ctx)
	if err != nil {
		<-r.turn
		return nil, err
	}
	return func() {
		file.Close() // releases the lock
		<-r.turn
	}, nil
}

// lockFile takes the lock between processes. The kernel releases it when the holder dies, so there are no stale
// locks.
func (r *repository) lockFile(ctx context.Context) (*fileutil.LockedFile, error) {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	name := filepath.Join(r.dir, "lock")
	for {
		file, err := fileutil.TryLockFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, fileutil.ErrLocked) {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
