package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/accord-dev/accord/clusters/local/kwok"
)

// run starts all members in parallel, reports them, and stops them when the context ends or one of them ends by
// itself. Only the latter is an error.
func run(ctx context.Context, o options, stdout, stderr io.Writer) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	say := reporter{out: json.NewEncoder(stdout), progress: stderr}
	log := slog.New(slog.DiscardHandler)
	if o.verbose {
		log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}

	members := o.members(log)
	o.kwok = sync.OnceValues(func() (string, error) { return kwok.Build(ctx) })
	slots := make(chan struct{}, 2*runtime.NumCPU()) // half of a start is waiting; more at once only wait for each other
	var starting sync.WaitGroup
	for i := range members {
		starting.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			begun := time.Now()
			if err := members[i].start(ctx, o, fail); err != nil {
				fail(fmt.Errorf("member %s: %w", members[i].name, err))
				return
			}
			say.ready(members[i], time.Since(begun))
		})
	}
	starting.Wait()
	if ctx.Err() == nil {
		say.allReady()
	}
	<-ctx.Done()
	return errors.Join(reason(ctx), stopAll(members))
}

// members returns the members that the command line names, none of them started.
func (o options) members(log *slog.Logger) []member {
	var all []member
	for _, name := range o.names {
		all = append(all, member{name: name, dir: filepath.Join(o.dir, name), log: log.With("member", name)})
	}
	for _, kubeconfig := range o.attach {
		all = append(all, member{name: kubeconfig, kubeconfig: kubeconfig, log: log.With("member", kubeconfig)})
	}
	return all
}

// reason returns why the context ended, nil if it was cancelled without a cause.
func reason(ctx context.Context) error {
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// stopAll stops the members in parallel.
func stopAll(members []member) error {
	errs := make([]error, len(members))
	var stopping sync.WaitGroup
	for i := range members {
		stopping.Go(func() { errs[i] = members[i].stop() })
	}
	stopping.Wait()
	return errors.Join(errs...)
}
