package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// scalePoint holds the figures of one number of members.
type scalePoint struct {
	members, objects int
	floor            cost // wall and CPU

	alone, connected, delivered usage
	joining                     effort        // until all members were connected
	applied, ready              time.Duration // since the push
	cold                        effort        // until it rests
	quiet                       effort        // of a while at rest
	changed                     time.Duration // one object, since the push
	single                      effort
}

func (p *scalePoint) pairs() int { return p.members * p.objects }

// scaleFigures are the points in the order of their size.
type scaleFigures struct {
	scaling
	points []scalePoint
}

// scaleRow is one line of the table. A figure that is for each member or pair may not grow; one that is for all may grow as
// the members do.
type scaleRow struct {
	what   string
	unit   string
	figure func(p *scalePoint) float64
	total  bool // for all members together
	bar    figure
}

// print the figures of each size, and how they grow from the smallest to the largest.
func (f *scaleFigures) print(w io.Writer) error {
	first, last := &f.points[0], &f.points[len(f.points)-1]
	fmt.Fprintf(w, "%d objects on each member. GROWTH is from %d to %d members; 1.00 x is linear, less is better. A bar is for the largest number.\n\n", f.objects, first.members, last.members)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"MEMBERS"}
	for _, p := range f.points {
		head = append(head, fmt.Sprint(p.members))
	}
	fmt.Fprintln(t, strings.Join(append(head, "GROWTH", "BAR", ""), "\t"))
	for _, r := range f.rows() {
		cells := []string{r.what}
		for i := range f.points {
			cells = append(cells, strings.TrimSpace(fmt.Sprintf("%.*f %s", digits(r.figure(&f.points[i])), r.figure(&f.points[i]), r.unit)))
		}
		most, mark := row{figure: r.bar, value: r.figure(last)}.verdict(last.objects, last.members)
		fmt.Fprintln(t, strings.Join(append(cells, r.growth(first, last), most, mark), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nwith %d members\n  delivery, at the members  %s\n  delivery, at the hub      %s\n  %s at rest, at the members  %s, %d for the version and discovery\n  %s at rest, at the hub      %s\n",
		last.members, last.cold.members, last.cold.hub, f.rest, last.quiet.members, last.quiet.others, f.rest, last.quiet.hub)
	return err
}

// growth is "-" where there was nothing at first.
func (r scaleRow) growth(first, last *scalePoint) string {
	from, to := r.figure(first), r.figure(last)
	if from <= 0 {
		return "-"
	}
	if r.total {
		from *= float64(last.members) / float64(first.members)
	}
	return fmt.Sprintf("%.2f x", to/from)
}

// digits that are worth showing.
func digits(n float64) int {
	switch {
	case n >= 100 || n == 0:
		return 0
	case n >= 10:
		return 1
	}
	return 2
}

func (f *scaleFigures) rows() []scaleRow {
	perMember := func(of func(p *scalePoint) float64) func(*scalePoint) float64 {
		return func(p *scalePoint) float64 { return of(p) / float64(p.members) }
	}
	perPair := func(of func(p *scalePoint) float64) func(*scalePoint) float64 {
		return func(p *scalePoint) float64 { return of(p) / float64(p.pairs()) }
	}
	perMinute := func(of func(p *scalePoint) float64) func(*scalePoint) float64 {
		return perMember(func(p *scalePoint) float64 { return of(p) / f.rest.Minutes() })
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	kib := func(n int64) float64 { return float64(n) / 1024 }
	return []scaleRow{
		{"all applied", "s", func(p *scalePoint) float64 { return p.applied.Seconds() }, true, ""},
		{"  floor", "s", func(p *scalePoint) float64 { return p.floor.wall.Seconds() }, true, ""},
		{"  times the floor", "x", func(p *scalePoint) float64 { return p.applied.Seconds() / p.floor.wall.Seconds() }, false, scaleRatio},
		{"Release Ready", "s", func(p *scalePoint) float64 { return p.ready.Seconds() }, true, ""},
		{"  times all applied", "x", func(p *scalePoint) float64 { return p.ready.Seconds() / p.applied.Seconds() }, false, scaleReady},
		{"CPU per object placed", "ms", perPair(func(p *scalePoint) float64 { return ms(p.cold.cpu) }), false, ""},
		{"  floor", "ms", perPair(func(p *scalePoint) float64 { return ms(p.floor.cpu) }), false, ""},
		{"  of the hub", "ms", perPair(func(p *scalePoint) float64 { return ms(p.cold.hubCPU) }), false, ""},
		{"requests per object placed", "", perPair(func(p *scalePoint) float64 { return float64(p.cold.members.total()) }), false, ""},
		{"  writes", "", perPair(func(p *scalePoint) float64 { return float64(p.cold.members.changing()) }), false, ""},
		{"  writes at the hub, all", "", func(p *scalePoint) float64 { return float64(p.cold.hub.changing()) }, true, ""},
		{"one object changed everywhere", "s", func(p *scalePoint) float64 { return p.changed.Seconds() }, true, scaleChange},
		{"  CPU per member", "ms", perMember(func(p *scalePoint) float64 { return ms(p.single.cpu) }), false, ""},
		{"members declared and connected: CPU per member", "ms", perMember(func(p *scalePoint) float64 { return ms(p.joining.cpu) }), false, ""},
		{"  writes at the hub per member", "", perMember(func(p *scalePoint) float64 { return float64(p.joining.hub.changing()) }), false, ""},
		{"heap without members", "MB", func(p *scalePoint) float64 { return kib(p.alone.heap) / 1024 }, false, ""},
		{"  more per member connected", "KiB", perMember(func(p *scalePoint) float64 { return kib(p.connected.heap - p.alone.heap) }), false, ""},
		{"  more per object placed", "KiB", perPair(func(p *scalePoint) float64 { return kib(p.delivered.heap - p.connected.heap) }), false, ""},
		{"resident without members", "MB", func(p *scalePoint) float64 { return kib(p.alone.resident) / 1024 }, false, ""},
		{"  with all members and objects", "MB", func(p *scalePoint) float64 { return kib(p.delivered.resident) / 1024 }, true, ""},
		{"  stacks", "MB", func(p *scalePoint) float64 { return kib(p.delivered.stacks) / 1024 }, true, ""},
		{"  of the hub", "MB", func(p *scalePoint) float64 { return kib(p.delivered.hub) / 1024 }, true, ""},
		{"goroutines per member, connected", "", perMember(func(p *scalePoint) float64 { return float64(p.connected.goroutines - p.alone.goroutines) }), false, ""},
		{"  with objects", "", perMember(func(p *scalePoint) float64 { return float64(p.delivered.goroutines - p.alone.goroutines) }), false, ""},
		{"TCP connections per member", "", perMember(func(p *scalePoint) float64 { return float64(p.delivered.connections) }), false, ""},
		{"watches per member", "", perMember(func(p *scalePoint) float64 { return float64(p.delivered.watches) }), false, ""},
		{"at rest, per member and minute: CPU", "ms", perMinute(func(p *scalePoint) float64 { return ms(p.quiet.cpu) }), false, ""},
		{"  CPU of the hub", "ms", perMinute(func(p *scalePoint) float64 { return ms(p.quiet.hubCPU) }), false, ""},
		{"  requests at the member", "", perMinute(func(p *scalePoint) float64 { return float64(p.quiet.members.total() + p.quiet.others) }), false, ""},
		{"  requests at the hub", "", perMinute(func(p *scalePoint) float64 { return float64(p.quiet.hub.total()) }), false, ""},
		{"  writes at the hub", "", perMinute(func(p *scalePoint) float64 { return float64(p.quiet.hub.changing()) }), false, ""},
	}
}
