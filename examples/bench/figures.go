package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// compared is the cost of a change, for the floor and for us.
type compared struct{ floor, ours cost }

// figures is everything that was measured.
type figures struct {
	options
	cold, single, override compared

	// status is an image change until it is observed everywhere; absent without members for it.
	status compared
	// quiet and busy are how long one changed object took when there was nothing else to do and while all others were
	// delivered; absent when left out. Of busy there are fewer than pushes if there was not enough to deliver.
	quiet, busy []time.Duration
	// busyFloor holds the times that one changed object took the floor meanwhile, one for each of busy.
	busyFloor []time.Duration

	nothing requests // at the members, by reconciliations with nothing to do
	restart requests // at the members, by a restart
	hub     requests // at the hub, by the cold delivery
	rest    int64    // resident bytes after the cold delivery, at rest
	grown   int64    // resident bytes that came with it, garbage included
	peak    int64    // resident bytes at most, over everything
}

// print compares them. The bars are those of the design; they are meant for 600 objects on 10 members.
func (f *figures) print(w io.Writer) error {
	pairs := f.options.members * f.objects
	changed := f.options.members * f.pushes
	overridden := f.options.members * workload{objects: f.objects}.deployments()

	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells ...any) { fmt.Fprintf(t, "%v\t%v\t%v\t%v\t%v\n", cells...) }
	fmt.Fprintf(w, "%d objects on %d members\n\n", f.objects, f.options.members)
	line("WHAT", "FLOOR", "OURS", "RATIO", "BAR")
	line(f.cold.wall("cold: nothing there -> everything there", "1.25 x")...)
	line(f.cold.cpu("  CPU per object placed", pairs, "1 ms")...)
	line(f.cold.writes("  writes per object and member", pairs)...)
	line("  writes at the hub", "0", f.hub.changing(), "", fmt.Sprintf("grow with %d objects + %d members", f.objects, f.options.members))
	line(f.single.wall(fmt.Sprintf("one object changed, p50 of %d", f.pushes), "3 x")...)
	line(f.single.cpu("  CPU per object and member", changed, "")...)
	line(f.single.writes("  writes per object and member", changed)...)
	line(f.override.wall(fmt.Sprintf("override touching %d objects", workload{objects: f.objects}.deployments()), "1.25 x")...)
	line(f.override.cpu("  CPU per object and member", overridden, "")...)
	line(f.override.writes("  writes per object and member", overridden)...)
	if len(f.quiet) > 0 {
		for _, cells := range f.whileBusy() {
			line(cells...)
		}
	}
	if f.statusMembers > 0 {
		line(f.status.wall(fmt.Sprintf("image changed -> observedGeneration, %d members with controllers, p50 of %d", f.statusMembers, f.pushes), "3 x")...)
	}
	line(fmt.Sprintf("requests of %d reconciliations, nothing to do", quietRounds), "0", f.nothing.total(), "", "0")
	line("writes of a restart", "0", f.restart.changing(), "", "0")
	line("  reads per member", "", fmt.Sprintf("%.1f", per(f.restart.reading(), f.options.members)), "", "")
	line("resident memory at rest", "", megabytes(f.rest), "", "150 MB")
	line("  at its peak", "", megabytes(f.peak), "", "")
	line("  grown per object and member", "", fmt.Sprintf("%.1f KiB", per(int(f.grown), pairs)/1024), "", "1 KiB")
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nrequests at the members, ours:\n  cold     %s\n  single   %s\n  override %s\n  nothing  %s\n  restart  %s\nat the hub, cold: %s\n",
		f.cold.ours.requests, f.single.ours.requests, f.override.ours.requests, f.nothing, f.restart, f.hub)
	return err
}

func (c compared) wall(what, bar string) []any {
	return []any{what, milliseconds(c.floor.wall), milliseconds(c.ours.wall), ratio(c.ours.wall, c.floor.wall), bar}
}

// whileBusy compares ours with itself, and with what the members gave the floor at the same time.
func (f *figures) whileBusy() [][]any {
	quiet := middle(f.quiet)
	if len(f.busy) == 0 {
		return [][]any{{"one object changed during an override (floor: ours without one)", milliseconds(quiet), "-", "-", "3 x"}}
	}
	busy := cost{wall: middle(f.busy)}
	return [][]any{
		compared{floor: cost{wall: quiet}, ours: busy}.wall(fmt.Sprintf("one object changed during an override, p50 of %d (floor: ours without one)", len(f.busy)), "3 x"),
		compared{floor: cost{wall: middle(f.busyFloor)}, ours: busy}.wall("  beside one that the floor changes during the same override", ""),
	}
}

func (c compared) cpu(what string, objects int, bar string) []any {
	each := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", per(int(d.Microseconds()), objects)/1000) }
	return []any{what, each(c.floor.cpu), each(c.ours.cpu), ratio(c.ours.cpu, c.floor.cpu), bar}
}

func (c compared) writes(what string, objects int) []any {
	each := func(r requests) string { return fmt.Sprintf("%.2f", per(r.changing(), objects)) }
	return []any{what, each(c.floor.requests), each(c.ours.requests), "", "1"}
}

func per(n, of int) float64 { return float64(n) / float64(of) }

func milliseconds(d time.Duration) string {
	if d > 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000)
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// ratio is "1.20 x", or "-" when CPU time was too short for the clock of /proc.
func ratio(ours, floor time.Duration) string {
	if floor == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f x", float64(ours)/float64(floor))
}
