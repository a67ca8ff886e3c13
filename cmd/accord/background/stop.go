package background

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Stop ends the hub of dir in good order, and returns its process when it has ended: 0 if none runs.
func Stop(ctx context.Context, dir string) (pid int, err error) {
	pid, err = running(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s is no data directory of a hub: pass the --data-dir of \"accord up\"", dir)
	}
	if err != nil || pid == 0 {
		return 0, err
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(stopSignal)
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("stopping process %d: %w", pid, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopTimeout,
		fmt.Errorf("process %d has not ended within %s: see %s, and end it with \"kill -9 %d\", which loses no data", pid, stopTimeout, filepath.Join(dir, logFile), pid))
	defer cancel()
	for {
		if left, err := running(dir); err != nil || left != pid {
			return pid, err
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}
