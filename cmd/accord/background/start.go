package background

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// startTimeout bounds the time until a hub is ready, stopTimeout the time until it has ended.
	startTimeout = 5 * time.Minute
	stopTimeout  = time.Minute
	poll         = 100 * time.Millisecond
	// lastWords is the part of the log that explains a failed start.
	lastWords = 2 << 10
	maxOutput = 64 << 10
)

// Start runs this program again with the arguments, in a session of its own, and returns when ready reports true. It then writes the
// output of the new process to out. After an error, and when the context ends, the new process does not run.
func Start(ctx context.Context, dir string, args []string, ready func(context.Context) bool, out io.Writer) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("creating the data directory: %w", err)
	}
	if pid, err := running(dir); err == nil && pid != 0 {
		return inUse(dir)
	}
	p, err := spawn(dir, args)
	if err != nil {
		return fmt.Errorf("starting the hub in the background: %w", err)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the hub was not ready within %s", startTimeout))
	defer cancel()
	if err := p.await(ctx, dir, ready); err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(p.out, 0, maxOutput)) // the offset is that of the new process, too
	return err
}

// process is the new process. Its output is in a file, because a pipe would end with this process.
type process struct {
	*exec.Cmd
	out, log *os.File
	begin    int64 // where its log begins
	ended    chan error
}

func spawn(dir string, args []string) (p *process, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p = &process{Cmd: exec.Command(self, args...), ended: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.log, err = os.OpenFile(filepath.Join(dir, logFile), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if p.begin, err = p.log.Seek(0, io.SeekEnd); err != nil {
		return nil, err
	}
	if p.out, err = os.CreateTemp(dir, "output-"); err != nil {
		return nil, err
	}
	p.Args[0], p.Stdout, p.Stderr = os.Args[0], p.out, p.log
	if err := ownSession(p.Cmd); err != nil {
		return nil, err
	}
	if err := p.Cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.Wait() }() // ends with the process, or this one does
	return p, nil
}

// await returns when the hub is ready. It ends a process that does not get there.
func (p *process) await(ctx context.Context, dir string, ready func(context.Context) bool) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case err := <-p.ended:
			return fmt.Errorf("the hub did not start: %w\n%s", err, p.words())
		case <-ctx.Done():
			_ = p.Process.Signal(stopSignal) // an error means that it has ended
			<-p.ended
			return context.Cause(ctx)
		case <-tick.C:
		}
		if pid, err := read(dir); err == nil && pid == p.Process.Pid && ready(ctx) {
			return nil
		}
	}
}

// words returns the end of the log of this process.
func (p *process) words() string {
	end, err := p.log.Seek(0, io.SeekEnd)
	if err != nil {
		return err.Error()
	}
	from := max(p.begin, end-lastWords)
	text := make([]byte, end-from)
	if _, err := p.log.ReadAt(text, from); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// close closes and deletes the files of this process. The log stays.
func (p *process) close() error {
	var errs []error
	if p.out != nil {
		errs = append(errs, p.out.Close(), os.Remove(p.out.Name()))
	}
	if p.log != nil {
		errs = append(errs, p.log.Close())
	}
	return errors.Join(errs...)
}
