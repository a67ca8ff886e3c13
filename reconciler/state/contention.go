package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// An object is contended after contentionRepairs repairs within contentionWindow of what the same manager changed.
	contentionRepairs = 5
	contentionWindow  = 5 * time.Minute
	// firstRepairBackoff and lastRepairBackoff bound how long a contended object is left alone after a repair. The back-off
	// doubles with every repair.
	firstRepairBackoff = 30 * time.Second
	lastRepairBackoff  = 10 * time.Minute
)

// Reasons of events about contention.
const (
	contentionDetected = "ContentionDetected"
	contentionResolved = "ContentionResolved"
)

// contention are the objects of one Delivery that were repaired lately. The nil contention is empty.
type contention map[manifest.ID]*repairs

// repairs are those of one object, as Git has it now: a change in Git ends the contention.
type repairs struct {
	digest, manager string
	last            live.Drift
	times           []time.Time // of the last repairs, at most contentionRepairs
	count           int
	since           time.Time     // of the first repair
	backoff         time.Duration // 0: not contended yet
	until           time.Time     // no repair before
	published       bool          // an event was emitted
}

// contended reports whether somebody else keeps changing the object.
func (x *repairs) contended() bool { return x.backoff > 0 }

// add records one repair.
func (x *repairs) add(d live.Drift, now time.Time) {
	x.last, x.count = d, x.count+1
	x.times = append(x.times, now)
	x.times = x.times[max(0, len(x.times)-contentionRepairs):]
	switch {
	case x.contended():
		x.backoff = min(2*x.backoff, lastRepairBackoff)
	case len(x.times) == contentionRepairs && now.Sub(x.times[0]) <= contentionWindow:
		x.backoff = firstRepairBackoff
	}
	x.until = now.Add(x.backoff)
}

// String returns the line of a Delivery. It changes with every repair, and repairs become rare.
func (x *repairs) String() string {
	what, manager := x.last.ID.String(), "an unknown field manager"
	if x.last.Fields != "" {
		what += " " + x.last.Fields
	}
	if x.manager != "" {
		manager = x.manager
	}
	return fmt.Sprintf("%s is %s by %s and was repaired %d times since %s; next repair not before %s",
		what, x.last.What, manager, x.count, x.since.UTC().Format(time.RFC3339), x.until.UTC().Format(time.RFC3339))
}

// repaired records what a delivery repaired.
func (l *cluster) repaired(drift []live.Drift, now time.Time) {
	for _, d := range drift {
		x, digest := l.contention[d.ID], l.wants.of(d.ID).digest
		if x == nil || x.digest != digest || x.manager != d.Manager {
			x = &repairs{digest: digest, manager: d.Manager, since: now}
			if l.contention == nil {
				l.contention = contention{}
			}
			l.contention[d.ID] = x
		}
		x.add(d, now)
	}
}

// contend records what a delivery repaired, and requests a repair of what it spared at the end of the first back-off.
func (f *Federation) contend(c *Changes, l *cluster, r Result, now time.Time) {
	l.repaired(r.Drift, now)
	var waits []time.Duration
	for _, id := range r.Spared {
		waits = append(waits, l.contention.backoff(id, l.wants.of(id).digest, now))
	}
	if len(waits) > 0 {
		f.requestRepair(c, l, slices.Min(waits))
	}
}

// resolve forgets what was not repaired for long and is as wanted. It returns the published contentions among it, sorted.
func (l *cluster) resolve(now time.Time) (resolved []*repairs) {
	for id, x := range l.contention {
		seen, there := l.live.Get(id)
		differs := !there || seen.Digest != x.digest || !seen.Intact
		quiet := now.Sub(x.times[len(x.times)-1])
		if l.wants.has(id) && l.wants.of(id).digest == x.digest && (quiet < contentionWindow || x.contended() && differs) {
			continue
		}
		delete(l.contention, id)
		if x.published {
			resolved = append(resolved, x)
		}
	}
	sortRepairs(resolved)
	return resolved
}

// lines returns one line per contended object, sorted.
func (all contention) lines() []string {
	var lines []string
	for _, x := range all {
		if x.contended() {
			lines = append(lines, x.String())
		}
	}
	slices.Sort(lines)
	return lines
}

// backoff returns how long an object is left alone; 0 for not at all.
func (all contention) backoff(id manifest.ID, digest string, now time.Time) time.Duration {
	if x := all[id]; x != nil && x.contended() && x.digest == digest {
		return max(0, x.until.Sub(now))
	}
	return 0
}

// unpublished returns the contentions without an event, sorted.
func (all contention) unpublished() []*repairs {
	fresh := slices.DeleteFunc(slices.Collect(maps.Values(all)), func(x *repairs) bool { return !x.contended() || x.published })
	sortRepairs(fresh)
	return fresh
}

func sortRepairs(all []*repairs) {
	slices.SortFunc(all, func(a, b *repairs) int { return a.last.ID.Compare(b.last.ID) })
}

// spare returns the objects that are not repaired now.
func (l *cluster) spare(now time.Time) map[manifest.ID]bool {
	spared := map[manifest.ID]bool{}
	for id := range l.contention {
		spared[id] = l.contention.backoff(id, l.wants.of(id).digest, now) > 0
	}
	return spared
}

// reportContention brings the reported contention of a Delivery up to date, and computes it again while there is any.
func (f *Federation) reportContention(c *Changes, l *cluster, now time.Time) {
	for _, x := range l.resolve(now) {
		c.event(l.delivery, Normal, contentionResolved, fmt.Sprintf("%s was not changed any more since its repair number %d", x.last.ID, x.count))
		l.run.Drift = slices.DeleteFunc(l.run.Drift, func(line string) bool { return strings.HasPrefix(line, x.last.ID.String()+" ") })
	}
	l.run.Contended = l.contention.lines()
	for _, x := range l.contention.unpublished() {
		x.published = true
		c.event(l.delivery, Warning, contentionDetected, x.String())
	}
	if len(l.run.Contended) > 0 {
		c.Updates = append(c.Updates, Update{Status: Status{Federation: f.key, Cluster: l.name}, Delay: contentionWindow})
	}
}
