package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// bench is everything that runs while it is measured.
type bench struct {
	options
	dir      string
	control  string // program of the control planes
	progress io.Writer
	*site
	figures figures
}

// run measures everything once and leaves nothing behind.
func run(ctx context.Context, o options, progress io.Writer) (*figures, error) {
	dir, err := os.MkdirTemp("", "accord-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, dir: dir, progress: progress, figures: figures{options: o}}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	if err := b.changes(ctx); err != nil {
		return nil, err
	}
	if o.statusMembers > 0 {
		if err := b.statusPath(ctx); err != nil {
			return nil, fmt.Errorf("the status path: %w", err)
		}
	}
	return &b.figures, nil
}

// changes are measured on members without controllers, on which nothing happens but what is measured.
func (b *bench) changes(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	if b.site, err = b.open(ctx, "changes", b.options.members, b.objects); err != nil {
		cancel()
		return err
	}
	defer b.site.close()
	defer cancel() // of the watches, before what they watch is gone
	for _, step := range []struct {
		name    string // of its profiles; empty for none
		what    string
		measure func(context.Context) error
		leftOut bool
	}{
		{"cold", "cold: nothing there, then everything", b.cold, false},
		{"single", "one object changed, again and again", b.single, false},
		{"override", "an image tag changed in all Deployments", b.override, b.small},
		{"busy", "one object changed while many others are", b.busy, !b.options.busy},
		{"", "nothing to do", b.nothing, false},
		{"", "a restart", b.restart, false},
	} {
		if step.leftOut {
			continue
		}
		b.say("measuring %s", step.what)
		stored := b.profile(ctx, step.name)
		if err := errors.Join(step.measure(ctx), stored()); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.progress, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// build makes the programs that are started.
func (b *bench) build(ctx context.Context) error {
	b.say("building (the first time this compiles Kubernetes, which takes minutes)")
	programs := filepath.Join(b.dir, "bin")
	packages := []string{"members"}
	if b.accord == "" {
		packages = append(packages, "accord")
		b.accord = filepath.Join(programs, "accord")
	}
	b.control = filepath.Join(programs, "members")
	return build(ctx, programs, packages...)
}
