package subprocess

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// ErrAbandoned is the error of a program that has to end at once, because accord is gone.
var ErrAbandoned = errors.New("accord is gone")

// Plane is a control plane in this process.
type Plane interface {
	Access() Access
	Stop() error
	Done() <-chan struct{}
}

// Serve is the program: it runs a control plane for the parent at the other ends of in, out and errs. It returns nil after an orderly end.
// After an error the program has to end at once, whatever still runs. start may return a *Failure.
func Serve(version string, in io.Reader, out, errs io.Writer, start func(context.Context, Settings, *slog.Logger) (Plane, error)) error {
	say := json.NewEncoder(out)
	if err := say.Encode(greeting{version}); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		return ErrAbandoned
	}
	var s Settings
	if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
		return fmt.Errorf("reading the settings: %w", err)
	}
	stop, gone := make(chan struct{}), make(chan struct{})
	go follow(lines, stop, gone) // ends with the process
	ended := make(chan error, 1)
	go func() { ended <- operate(s, say, errs, stop, start) }()
	select {
	case err := <-ended:
		return err
	case <-gone:
		return ErrAbandoned
	}
}

// follow closes stop when the parent orders it, and gone when the parent is gone.
func follow(lines *bufio.Scanner, stop, gone chan<- struct{}) {
	defer close(gone)
	stopped := false
	for lines.Scan() {
		if lines.Text() == stopOrder && !stopped {
			stopped = true
			close(stop)
		}
	}
}

// operate runs the control plane until stop, and reports.
func operate(s Settings, say *json.Encoder, errs io.Writer, stop <-chan struct{}, start func(context.Context, Settings, *slog.Logger) (Plane, error)) error {
	level := slog.LevelInfo
	if s.Details {
		level = slog.LevelDebug
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { <-stop; cancel() }() // ends with the process
	plane, err := start(ctx, s, slog.New(slog.NewJSONHandler(errs, &slog.HandlerOptions{Level: level})))
	if err != nil {
		return errors.Join(err, say.Encode(report{Failure: failure(err)}))
	}
	access := plane.Access()
	if err := say.Encode(report{Access: &access}); err != nil {
		return errors.Join(err, plane.Stop())
	}
	select {
	case <-stop:
	case <-plane.Done():
	}
	if err := plane.Stop(); err != nil {
		return errors.Join(err, say.Encode(report{Failure: failure(err)}))
	}
	return nil
}

func failure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Message: err.Error()}
}
