package main

import (
	"fmt"
	"io"
	"slices"
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

// print prints the figures, and beside each its bar for this number of objects and members.
func (f *figures) print(w io.Writer) error {
	fmt.Fprintf(w, "%d objects on %d members\n\n", f.objects, f.options.members)
	if err := printRows(w, f.rows(), f.objects, f.options.members); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nrequests at the members, ours:\n  cold     %s\n  single   %s\n  override %s\n  nothing  %s\n  restart  %s\nat the hub, cold: %s\n",
		f.cold.ours.requests, f.single.ours.requests, f.override.ours.requests, f.nothing, f.restart, f.hub)
	return err
}

func (f *figures) rows() []row {
	pairs := f.options.members * f.objects
	rows := slices.Concat(f.coldRows(), []row{
		f.single.wall(fmt.Sprintf("one object changed, p50 of %d", f.pushes), singleRatio),
		f.single.cpu("  CPU per push", f.pushes, singleCPU),
		f.single.writes("  writes per object and member", f.options.members*f.pushes, singleWrites),
	})
	if n := (workload{objects: f.objects}).deployments(); f.override.ours.wall > 0 {
		rows = append(rows,
			f.override.wall(fmt.Sprintf("override touching %d objects", n), overrideRatio),
			f.override.cpu("  CPU per object and member", f.options.members*n, ""),
			f.override.writes("  writes per object and member", f.options.members*n, overrideWrites))
	}
	if len(f.quiet) > 0 {
		rows = append(rows, f.whileBusy()...)
	}
	if f.status.ours.wall > 0 {
		rows = append(rows, f.status.wall(fmt.Sprintf("image changed -> observedGeneration, %d members with controllers, p50 of %d", f.statusMembers, f.pushes), statusRatio))
	}
	return append(rows,
		counted(fmt.Sprintf("requests of %d reconciliations, nothing to do", quietRounds), f.nothing.total(), idleRequests),
		counted("writes of a restart", f.restart.changing(), restartWrites),
		row{what: "  reads per member", ours: fmt.Sprintf("%.1f", per(f.restart.reading(), f.options.members))},
		row{what: "resident memory at rest", ours: megabytes(f.rest), figure: restMemory, value: float64(f.rest >> 20)},
		row{what: "  at its peak", ours: megabytes(f.peak)},
		row{what: "  grown per object and member", ours: fmt.Sprintf("%.1f KiB", per(int(f.grown), pairs)/1024)},
	)
}

func (f *figures) coldRows() []row {
	pairs := f.options.members * f.objects
	writes := per(f.hub.changing(), f.objects)
	return []row{
		f.cold.wall("cold: nothing there -> everything there", coldRatio),
		f.cold.cpu("  CPU per object placed", pairs, coldCPU),
		f.cold.writes("  writes per object and member", pairs, ""),
		{what: "  writes at the hub per object", floor: "0", ours: fmt.Sprintf("%.2f", writes), figure: coldHubWrites, value: writes},
	}
}

// counted is a row whose floor is 0.
func counted(what string, n int, is figure) row {
	return row{what: what, floor: "0", ours: fmt.Sprint(n), figure: is, value: float64(n)}
}

// wall compares times. Its figure is their ratio.
func (c compared) wall(what string, is figure) row {
	r := row{what: what, floor: milliseconds(c.floor.wall), ours: milliseconds(c.ours.wall), ratio: ratio(c.ours.wall, c.floor.wall)}
	if c.floor.wall > 0 {
		r.figure, r.value = is, float64(c.ours.wall)/float64(c.floor.wall)
	}
	return r
}

// whileBusy compares ours with itself, and with what the members gave the floor at the same time.
func (f *figures) whileBusy() []row {
	quiet := middle(f.quiet)
	if len(f.busy) == 0 {
		return []row{{what: "one object changed during an override (floor: ours without one)", floor: milliseconds(quiet), ours: "-", ratio: "-"}}
	}
	busy := cost{wall: middle(f.busy)}
	return []row{
		compared{floor: cost{wall: quiet}, ours: busy}.wall(fmt.Sprintf("one object changed during an override, p50 of %d (floor: ours without one)", len(f.busy)), busyRatio),
		compared{floor: cost{wall: middle(f.busyFloor)}, ours: busy}.wall("  beside one that the floor changes during the same override", ""),
	}
}

// cpu compares CPU times. Its figure is ours, in milliseconds for each of n.
func (c compared) cpu(what string, n int, is figure) row {
	each := func(d time.Duration) float64 { return per(int(d.Microseconds()), n) / 1000 }
	return row{
		what: what, floor: fmt.Sprintf("%.2f ms", each(c.floor.cpu)), ours: fmt.Sprintf("%.2f ms", each(c.ours.cpu)),
		ratio: ratio(c.ours.cpu, c.floor.cpu), figure: is, value: each(c.ours.cpu),
	}
}

// writes compares writes at the members. Its figure is ours, for each of n.
func (c compared) writes(what string, n int, is figure) row {
	each := func(r requests) float64 { return per(r.changing(), n) }
	return row{
		what: what, floor: fmt.Sprintf("%.2f", each(c.floor.requests)), ours: fmt.Sprintf("%.2f", each(c.ours.requests)),
		figure: is, value: each(c.ours.requests),
	}
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
