package local

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/accord-dev/accord/internal/diskspace"
)

const (
	// leastSpace is the free space that a store needs to start, and to accept writes again: etcd allocates segments of its log in
	// advance. reservedSpace is the free space below which the store refuses writes, because etcd ends the process when a
	// write fails.
	leastSpace, reservedSpace = 64 << 20, 32 << 20
	// spaceInterval is the time between two checks of the free space.
	spaceInterval = 5 * time.Second
)

// checkSpace returns an error if the file system of dir is full.
func checkSpace(dir string) error {
	s, err := diskspace.Of(dir)
	if err != nil {
		return fmt.Errorf("reading the free space of %s: %w", dir, err)
	}
	if s.Below(leastSpace) {
		return fmt.Errorf("the file system of %s is full (%s): free %d MiB, and start again", dir, s, leastSpace>>20)
	}
	return nil
}

// spaceWatch keeps the store readable while its file system is full.
type spaceWatch struct {
	dir   string
	space func(dir string) (diskspace.Space, error)
	store *store
	log   *slog.Logger
	low   bool // the space was low at the last check
}

// run checks the space until ctx ends.
func (w *spaceWatch) run(ctx context.Context) {
	tick := time.NewTicker(spaceInterval)
	defer tick.Stop()
	for {
		w.check(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// check has the store refuse writes while less than reservedSpace is free, and accept them again from leastSpace on. It logs
// each change, and whether the space is low.
func (w *spaceWatch) check(ctx context.Context) {
	s, err := w.space(w.dir)
	if err != nil {
		return
	}
	switch full := w.store.readOnly(); {
	case !full && s.Below(reservedSpace):
		w.log.Error("the hub refuses writes, because the file system of its data directory is full; make space, and the hub continues by itself",
			"dir", w.dir, "space", s.String(), "needed", fmt.Sprintf("%d MiB", leastSpace>>20))
		w.setReadOnly(ctx, true)
	case full && !s.Below(leastSpace):
		w.log.Info("the hub accepts writes again", "dir", w.dir, "space", s.String())
		w.setReadOnly(ctx, false)
	}
	if low := s.Low(); low != w.low {
		if w.low = low; low {
			w.log.Warn("the file system of the data directory is almost full; the hub refuses writes when no space is left", "dir", w.dir, "space", s.String())
		} else {
			w.log.Info("the file system of the data directory has space again", "dir", w.dir, "space", s.String())
		}
	}
}

// setReadOnly repeats with the next check if it fails.
func (w *spaceWatch) setReadOnly(ctx context.Context, refuse bool) {
	if err := w.store.setReadOnly(ctx, refuse); err != nil {
		w.log.Error("the store does not change whether it refuses writes", "dir", w.dir, "error", err)
	}
}

// lastWords is the hook of etcd's logger that ends the process. etcd cannot continue after a failed write: the entry may be in its log
// or not.
type lastWords struct {
	dir string
	log *slog.Logger
}

// OnWrite implements zapcore.CheckWriteHook.
func (l lastWords) OnWrite(e *zapcore.CheckedEntry, fields []zapcore.Field) {
	l.log.Error(l.sentence(e.Message, fields))
	os.Exit(1)
}

// sentence returns the file, the cause and the remedy.
func (l lastWords) sentence(message string, fields []zapcore.Field) string {
	cause, remedy := message, "check its file system, and start again"
	for _, f := range fields {
		if err, is := f.Interface.(error); is {
			cause += ": " + err.Error()
		}
	}
	if s, err := diskspace.Of(l.dir); err == nil && s.Below(leastSpace) {
		remedy = fmt.Sprintf("its file system is full (%s): free %d MiB, and start again", s, leastSpace>>20)
	}
	return fmt.Sprintf("the hub stops, because its store in %s failed: %s; %s", l.dir, cause, remedy)
}
