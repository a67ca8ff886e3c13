// Package diskwatch reports in the status of every Federation that the file system of accord's files has little free space.
package diskwatch

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"

	"github.com/accord-dev/accord/internal/diskspace"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
)

// interval is the time between two checks.
const interval = 30 * time.Second

// Watch checks the free space of a directory in the leader.
type Watch struct {
	dir      string
	space    func(dir string) (diskspace.Space, error)
	registry *state.Registry
	reporter *report.Reporter
	log      logr.Logger
}

// New returns a Watch of the file system of dir.
func New(dir string, registry *state.Registry, reporter *report.Reporter, log logr.Logger) *Watch {
	return &Watch{dir, diskspace.Of, registry, reporter, log}
}

// Start implements manager.Runnable. It returns when ctx ends.
func (w *Watch) Start(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		w.check(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// check reports the free space on each Federation. A Federation that is opened later follows with the next check.
func (w *Watch) check(ctx context.Context) {
	s, err := w.space(w.dir)
	if err != nil {
		w.log.Error(err, "cannot read the free space", "dir", w.dir)
		return
	}
	low := ""
	if s.Low() { // without the exact number, which changes all the time
		low = fmt.Sprintf("less than 10 %% of the %d MiB of the file system of %s is free; without space accord cannot read new commits", s.Total>>20, w.dir)
	}
	for _, f := range w.registry.Federations() {
		if err := w.reporter.DiskSpace(ctx, f, low); err != nil {
			w.log.Error(err, "cannot report the free space", "federation", f.Key())
		}
	}
}
