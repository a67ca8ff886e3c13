package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
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
func (r *repository) lockFile(ctx context.Context) (*os.File, error) {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(r.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open source cache: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			file.Close()
			return nil, ctx.Err()
		}
	}
}
