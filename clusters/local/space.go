package local

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

const (
	// leastSpace is the free space that a store needs to start: etcd allocates segments of its log in advance.
	leastSpace = 64 << 20
	// lowPercent is the share of free space from which a line of the log warns.
	lowPercent = 10
	// spaceInterval is the time between two checks of the free space.
	spaceInterval = time.Minute
)

// space is the space of the file system that a user other than root may use.
type space struct{ free, total uint64 }

// low reports whether less than lowPercent is free.
func (s space) low() bool { return s.total > 0 && s.free*100 < s.total*lowPercent }

func (s space) String() string {
	return fmt.Sprintf("%d of %d MiB free", s.free>>20, s.total>>20)
}

// checkSpace returns an error if the file system of dir is full.
func checkSpace(dir string) error {
	s, err := spaceOf(dir)
	if err != nil {
		return fmt.Errorf("reading the free space of %s: %w", dir, err)
	}
	if s.total > 0 && s.free < leastSpace {
		return fmt.Errorf("the file system of %s is full (%s): free %d MiB, and start again", dir, s, leastSpace>>20)
	}
	return nil
}

// watchSpace logs a warning when the space of the file system becomes low, until ctx ends.
func watchSpace(ctx context.Context, dir string, log *slog.Logger) {
	tick := time.NewTicker(spaceInterval)
	defer tick.Stop()
	for warned := false; ; {
		s, err := spaceOf(dir)
		if low := err == nil && s.low(); low != warned {
			if warned = low; low {
				log.Warn("the file system of the data directory is almost full; the hub stops when no space is left", "dir", dir, "space", s.String())
			} else {
				log.Info("the file system of the data directory has space again", "dir", dir, "space", s.String())
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
