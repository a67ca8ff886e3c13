package drift

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// An object is contended after contentionRepairs repairs within ContentionWindow after changes of the same manager.
	contentionRepairs = 5
	ContentionWindow  = 5 * time.Minute
	// firstRepairBackoff and lastRepairBackoff bound how long a contended object is left alone after a repair. The back-off
	// doubles with every repair.
	firstRepairBackoff = 30 * time.Second
	lastRepairBackoff  = 10 * time.Minute
)

// Contention holds the objects of one Delivery that accord repaired lately.
type Contention map[manifest.ID]*Repairs

// Repairs are those of one object, as Git has it now: a change in Git ends the contention.
type Repairs struct {
	digest, manager string
	last            live.Drift
	times           []time.Time // of the last repairs, at most contentionRepairs
	count           int
	since           time.Time     // of the first repair
	backoff         time.Duration // 0: not contended yet
	until           time.Time     // no repair before
	announced       bool          // an event was emitted
}

// contended reports whether somebody else keeps changing the object.
func (x *Repairs) contended() bool { return x.backoff > 0 }

// add records one repair.
func (x *Repairs) add(d live.Drift, now time.Time) {
	x.last, x.count = d, x.count+1
	x.times = append(x.times, now)
	x.times = x.times[max(0, len(x.times)-contentionRepairs):]
	switch {
	case x.contended():
		x.backoff = min(2*x.backoff, lastRepairBackoff)
	case len(x.times) == contentionRepairs && now.Sub(x.times[0]) <= ContentionWindow:
		x.backoff = firstRepairBackoff
	}
	x.until = now.Add(x.backoff)
}

// ID returns the repaired object.
func (x *Repairs) ID() manifest.ID { return x.last.ID }

// Detection returns the line of a Delivery about a contended object. It changes with every repair, and repairs become
// rare.
func (x *Repairs) Detection() string {
	object, manager := x.last.ID.String(), "an unknown field manager"
	if x.last.Fields != "" {
		object += " " + x.last.Fields
	}
	if x.manager != "" {
		manager = x.manager
	}
	return fmt.Sprintf("%s is %s by %s and was repaired %d times since %s; next repair not before %s",
		object, x.last.What, manager, x.count, x.since.UTC().Format(time.RFC3339), x.until.UTC().Format(time.RFC3339))
}

// Resolution returns the message of the event that the contention has ended.
func (x *Repairs) Resolution() string {
	return fmt.Sprintf("%s was not changed any more since its repair number %d", x.last.ID, x.count)
}

// Record records the repairs of a delivery. digest returns the wanted digest of an object.
func (all Contention) Record(repaired []live.Drift, digest func(manifest.ID) string, now time.Time) {
	for _, d := range repaired {
		x, wanted := all[d.ID], digest(d.ID)
		if x == nil || x.digest != wanted || x.manager != d.Manager {
			x = &Repairs{digest: wanted, manager: d.Manager, since: now}
			all[d.ID] = x
		}
		x.add(d, now)
	}
}

// Resolve forgets the objects that were not repaired for long and are as wanted, and those that Git changed. It returns
// the announced ones among them, sorted. digest returns the wanted digest of an object, empty if the object is not
// wanted; seen returns the live object, the zero value if it is absent.
func (all Contention) Resolve(digest func(manifest.ID) string, seen func(manifest.ID) live.Object, now time.Time) (resolved []*Repairs) {
	for id, x := range all {
		live := seen(id)
		differs := live.Digest != x.digest || !live.Intact
		quiet := now.Sub(x.times[len(x.times)-1])
		if digest(id) == x.digest && (quiet < ContentionWindow || x.contended() && differs) {
			continue
		}
		delete(all, id)
		if x.announced {
			resolved = append(resolved, x)
		}
	}
	sortRepairs(resolved)
	return resolved
}

// Lines returns one line per contended object, sorted.
func (all Contention) Lines() []string {
	var lines []string
	for _, x := range all {
		if x.contended() {
			lines = append(lines, x.Detection())
		}
	}
	slices.Sort(lines)
	return lines
}

// Backoff returns how long an object is left alone; 0 for not at all.
func (all Contention) Backoff(id manifest.ID, digest string, now time.Time) time.Duration {
	if x := all[id]; x != nil && x.contended() && x.digest == digest {
		return max(0, x.until.Sub(now))
	}
	return 0
}

// Spared returns the objects that are not repaired now. digest returns the wanted digest of an object.
func (all Contention) Spared(digest func(manifest.ID) string, now time.Time) map[manifest.ID]bool {
	spared := map[manifest.ID]bool{}
	for id := range all {
		spared[id] = all.Backoff(id, digest(id), now) > 0
	}
	return spared
}

// Announce returns the contended objects without an event, sorted: each is returned once.
func (all Contention) Announce() []*Repairs {
	fresh := slices.DeleteFunc(slices.Collect(maps.Values(all)), func(x *Repairs) bool { return !x.contended() || x.announced })
	for _, x := range fresh {
		x.announced = true
	}
	sortRepairs(fresh)
	return fresh
}

func sortRepairs(all []*Repairs) {
	slices.SortFunc(all, func(a, b *Repairs) int { return a.last.ID.Compare(b.last.ID) })
}
