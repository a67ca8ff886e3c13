package kwok

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
)

// A child is a process that this one runs and outlives.
type child struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the process is gone; err may be read then
	err    error         // why it ended, with its last words; nil if it was stopped
}

// startChild starts the program and a goroutine that owns it.
func startChild(program string, args []string, stdin io.Reader, log *slog.Logger) (*child, error) {
	ctx, cancel := context.WithCancel(context.Background())
	output := &lines{log: log.With("component", "kwok")}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, output, output
	cmd.Env = append(os.Environ(), "KWOK_WORKDIR="+os.DevNull) // no configuration of the user's
	dieWithUs(cmd)

	c := &child{cancel: cancel, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		defer close(c.done)
		// "When the parent dies" means the thread that started the child: it has to stay until the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		if err := cmd.Wait(); ctx.Err() == nil {
			c.err = fmt.Errorf("kwok ended (%w), having said:\n%s", err, output.last())
		}
	}()
	if err := <-started; err != nil {
		cancel()
		return nil, err
	}
	return c, nil
}

// stop ends the process and waits until it is gone.
func (c *child) stop() {
	c.cancel()
	<-c.done
}
