package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// bench is everything that runs while it is measured.
type bench struct {
	options
	progress io.Writer
	hub      *fleet
	members  *fleet
	floor    *floorSide
	ours     *ourSide
	figures  figures
}

// run measures everything once and leaves nothing behind.
func run(ctx context.Context, o options, progress io.Writer) (*figures, error) {
	dir, err := os.MkdirTemp("", "accord-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(ctx)
	b := &bench{options: o, progress: progress, figures: figures{options: o}}
	defer b.close()
	defer cancel() // of the watches, before what they watch is gone
	if err := b.start(ctx, dir); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		what    string
		measure func(context.Context) error
	}{
		{"cold: nothing there, then everything", b.cold},
		{"one object changed, again and again", b.single},
		{"an image tag changed in all Deployments", b.override},
		{"nothing to do", b.nothing},
		{"a restart", b.restart},
	} {
		b.say("measuring %s", step.what)
		if err := step.measure(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return &b.figures, nil
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.progress, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// start builds what is missing and starts hub, members and both sides.
func (b *bench) start(ctx context.Context, dir string) (err error) {
	b.say("building (the first time this compiles Kubernetes, which takes minutes)")
	programs := filepath.Join(dir, "bin")
	packages := []string{"examples/members"}
	if b.accord == "" {
		packages = append(packages, "cmd/accord")
		b.accord = filepath.Join(programs, "accord")
	}
	if err := build(ctx, programs, packages...); err != nil {
		return err
	}
	control := filepath.Join(programs, "members")
	b.say("starting a hub and %d members", b.options.members)
	if b.hub, err = startFleet(dir, control, "hub", []string{hubName}); err != nil {
		return err
	}
	var names []string
	for i := range b.options.members {
		names = append(names, fmt.Sprintf("member-%02d", i+1))
	}
	if b.members, err = startFleet(dir, control, "members", names); err != nil {
		return err
	}
	b.say("starting the floor")
	if b.floor, err = startFloor(ctx, dir, b.members, workload{namespace: "floor", objects: b.objects}); err != nil {
		return err
	}
	b.say("starting accord")
	b.ours, err = startOurs(ctx, dir, b.accord, b.hub, b.members, workload{namespace: "ours", objects: b.objects}, b.preflight)
	return err
}

// close ends what was started, newest first.
func (b *bench) close() {
	if b.ours != nil {
		b.ours.process.stop()
	}
	if b.floor != nil {
		b.floor.process.stop()
	}
	for _, f := range []*fleet{b.members, b.hub} {
		if f != nil {
			f.stop()
		}
	}
}
