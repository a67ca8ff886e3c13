package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// growing holds the options of the measurement of growth.
type growing struct {
	wanted  bool
	objects int // at most, on one member; also a tenth and a hundredth of them
	members int // at most, with memberObjects on each; also a tenth and a hundredth of them; 0 leaves them out
	pushes  int // that change one object
	// directories of the repository that the objects are spread over; 0: all are in one
	directories int
	rest        time.Duration // how long accord with many members is watched doing nothing
	accord      string        // absent: built from this repository
}

// memberObjects is the number of objects on each member while the members grow.
const memberObjects = 100

// The sizes for which figures are calculated.
const targetObjects, targetMembers = 1_000_000, 10_000

// decades returns a hundredth, a tenth and all of most, but none below least.
func decades(most, least int) []int {
	return slices.Compact([]int{max(least, most/100), max(least, most/10), most})
}

// growFigures are the figures of each size, in the order of their size.
type growFigures struct {
	objects []*figures
	members *scaleFigures // nil without
}

// runGrow measures accord with more and more objects on one member, and with more and more members. Members are small API
// servers, which leave the machine to accord and the hub. After an error the figures are those of the sizes before.
func runGrow(ctx context.Context, g growing, progress io.Writer) (*growFigures, error) {
	all := &growFigures{}
	for _, n := range decades(g.objects, 6) {
		f, err := g.withObjects(ctx, n, progress)
		if err != nil {
			return all, fmt.Errorf("%d objects: %w", n, err)
		}
		all.objects = append(all.objects, f)
	}
	if g.members == 0 {
		return all, nil
	}
	var err error
	all.members, err = runScale(ctx, scaling{members: g.members, objects: memberObjects, rest: g.rest, accord: g.accord, decades: true}, progress)
	return all, err
}

// withObjects measures one number of objects on one member.
func (g growing) withObjects(ctx context.Context, n int, progress io.Writer) (*figures, error) {
	dir, err := os.MkdirTemp("", "accord-grow-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o := options{members: 1, objects: n, pushes: g.pushes, directories: g.directories, accord: g.accord, small: true}
	b := &bench{options: o, dir: dir, progress: progress, figures: figures{options: o}}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	if err := b.changes(ctx); err != nil {
		return nil, err
	}
	return &b.figures, nil
}

// print prints a table for the objects and one for the members.
func (f *growFigures) print(w io.Writer) error {
	var errs []error
	if len(f.objects) > 0 {
		errs = append(errs, f.objectGrowth().print(w))
	}
	if f.members != nil && len(f.members.points) > 0 {
		errs = append(errs, f.members.growth().print(w))
	}
	return errors.Join(errs...)
}

// objectGrowth returns the figures over the number of objects.
func (f *growFigures) objectGrowth() growthTable {
	t := growthTable{over: "objects on one member", target: targetObjects}
	for _, of := range f.objects {
		t.sizes = append(t.sizes, of.objects)
	}
	last := f.objects[len(f.objects)-1]
	t.lastObjects, t.lastMembers = last.objects, last.options.members
	add := func(what, unit string, is figure, value func(f *figures) float64) {
		row := growthRow{what: what, unit: unit, bar: is}
		for _, of := range f.objects {
			row.values = append(row.values, value(of))
		}
		t.rows = append(t.rows, row)
	}
	seconds := func(d time.Duration) float64 { return d.Seconds() }
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	add("cold: nothing there -> everything there", "s", "", func(f *figures) float64 { return seconds(f.cold.ours.wall) })
	add("  floor", "s", "", func(f *figures) float64 { return seconds(f.cold.floor.wall) })
	add("  times the floor", "x", coldRatio, func(f *figures) float64 { return seconds(f.cold.ours.wall) / seconds(f.cold.floor.wall) })
	add("  CPU per object placed", "ms", coldCPU, func(f *figures) float64 { return ms(f.cold.ours.cpu) / float64(f.objects) })
	add("  writes at the hub per object", "", coldHubWrites, func(f *figures) float64 { return per(f.hub.changing(), f.objects) })
	add("one object changed", "ms", "", func(f *figures) float64 { return ms(f.single.ours.wall) })
	add("  floor", "ms", "", func(f *figures) float64 { return ms(f.single.floor.wall) })
	add("  times the floor", "x", singleRatio, func(f *figures) float64 { return ms(f.single.ours.wall) / ms(f.single.floor.wall) })
	add("  CPU per push", "ms", singleCPU, func(f *figures) float64 { return ms(f.single.ours.cpu) / float64(f.pushes) })
	add("  writes at the member per push", "", "", func(f *figures) float64 { return per(f.single.ours.requests.changing(), f.pushes) })
	add("requests with nothing to do", "", idleRequests, func(f *figures) float64 { return float64(f.nothing.total()) })
	add("writes of a restart", "", restartWrites, func(f *figures) float64 { return float64(f.restart.changing()) })
	add("  reads", "", "", func(f *figures) float64 { return float64(f.restart.reading()) })
	add("resident memory at rest", "MB", restMemory, func(f *figures) float64 { return float64(f.rest >> 20) })
	add("  at its peak", "MB", "", func(f *figures) float64 { return float64(f.peak >> 20) })
	add("  grown per object", "KiB", "", func(f *figures) float64 { return per(int(f.grown), f.objects) / 1024 })
	return t
}

// growth returns the figures over the number of members.
func (f *scaleFigures) growth() growthTable {
	last := f.points[len(f.points)-1]
	t := growthTable{over: fmt.Sprintf("members with %d objects on each", f.objects), target: targetMembers, lastObjects: last.objects, lastMembers: last.members}
	for _, p := range f.points {
		t.sizes = append(t.sizes, p.members)
	}
	for _, r := range f.rows() {
		row := growthRow{what: r.what, unit: r.unit, bar: r.bar}
		for i := range f.points {
			row.values = append(row.values, r.figure(&f.points[i]))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// startMembers starts the members of a site.
func (b *bench) startMembers(dir string, members int, args ...string) (*fleet, error) {
	if b.small {
		return startSmall(dir, members)
	}
	var names []string
	for i := range members {
		names = append(names, fmt.Sprintf("member-%02d", i+1))
	}
	return startFleet(dir, b.control, asMembers, names, args...)
}
