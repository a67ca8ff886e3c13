package reconciler

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// fightSize repairs of one object within fightWindow, of what the same manager did, are a fight.
	fightSize   = 5
	fightWindow = 5 * time.Minute
	// firstTruce and lastTruce bound how long an object that is fought over is left as it is after a repair. It doubles
	// with every repair.
	firstTruce = 30 * time.Second
	lastTruce  = 10 * time.Minute
	// keptDrift is how much of what was repaired is remembered to be told.
	keptDrift = 50
)

// Reasons of events about fights.
const (
	fightBegan = "ContentionDetected"
	fightEnded = "ContentionResolved"
)

// fights are the objects of one delivery that were repaired lately. They are guarded by the mutex of the federation. The nil
// fights are none.
type fights map[manifest.ID]*fight

// fight is over one object, as Git has it now: a person's change of it ends it.
type fight struct {
	digest, manager string
	last            live.Drift
	repairs         []time.Time // the last ones, at most fightSize
	count           int
	since           time.Time     // of the first repair
	truce           time.Duration // 0: it is none yet
	until           time.Time     // not repaired before
	told            bool          // to people
}

// on says that it is one.
func (x *fight) on() bool { return x.truce > 0 }

// repaired takes note of one repair.
func (x *fight) repaired(d live.Drift, now time.Time) {
	x.last, x.count = d, x.count+1
	x.repairs = append(x.repairs, now)
	x.repairs = x.repairs[max(0, len(x.repairs)-fightSize):]
	switch {
	case x.on():
		x.truce = min(2*x.truce, lastTruce)
	case len(x.repairs) == fightSize && now.Sub(x.repairs[0]) <= fightWindow:
		x.truce = firstTruce
	}
	x.until = now.Add(x.truce)
}

// String is what is told of it. It changes with every repair, and these get rare.
func (x *fight) String() string {
	what, who := x.last.ID.String(), "somebody"
	if x.last.Fields != "" {
		what += " " + x.last.Fields
	}
	if x.manager != "" {
		who = x.manager
	}
	return fmt.Sprintf("%s is %s by %s, and was put right %d times since %s; next not before %s",
		what, x.last.What, who, x.count, x.since.UTC().Format(time.RFC3339), x.until.UTC().Format(time.RFC3339))
}

// repaired takes note of what a delivery put right. digest says what is wanted of an object.
func (l *leg) repaired(drift []live.Drift, now time.Time) {
	for _, d := range drift {
		x, digest := l.fights[d.ID], l.wants.of(d.ID).digest
		if x == nil || x.digest != digest || x.manager != d.Manager {
			x = &fight{digest: digest, manager: d.Manager, since: now}
			if l.fights == nil {
				l.fights = fights{}
			}
			l.fights[d.ID] = x
		}
		x.repaired(d, now)
	}
}

// calm forgets what was not repaired for long and is as it should be; it returns the fights among it, sorted.
func (l *leg) calm(now time.Time) (ended []*fight) {
	for id, x := range l.fights {
		seen, there := l.live.Get(id)
		differs := !there || seen.Digest != x.digest || !seen.Intact
		quiet := now.Sub(x.repairs[len(x.repairs)-1])
		if l.wants.has(id) && l.wants.of(id).digest == x.digest && (quiet < fightWindow || x.on() && differs) {
			continue
		}
		delete(l.fights, id)
		if x.told {
			ended = append(ended, x)
		}
	}
	slices.SortFunc(ended, func(a, b *fight) int { return a.last.ID.Compare(b.last.ID) })
	return ended
}

// lines has one for every fight, sorted.
func (all fights) lines() []string {
	var lines []string
	for _, x := range all {
		if x.on() {
			lines = append(lines, x.String())
		}
	}
	slices.Sort(lines)
	return lines
}

// truce is how long an object is to be left as it is; 0 for not at all.
func (all fights) truce(id manifest.ID, digest string, now time.Time) time.Duration {
	if x := all[id]; x != nil && x.on() && x.digest == digest {
		return max(0, x.until.Sub(now))
	}
	return 0
}

// spare are the objects that are not repaired now.
func (f *federation) spare(l *leg, now time.Time) map[manifest.ID]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	spared := map[manifest.ID]bool{}
	for id := range l.fights {
		spared[id] = l.fights.truce(id, l.wants.of(id).digest, now) > 0
	}
	return spared
}

// repair has an object put right: at once, or when the truce over it is over. The caller holds f.mu.
func (b *bulkhead) repair(f *federation, l *leg, id manifest.ID) {
	b.enqueueAfter(f, l.fights.truce(id, l.wants.of(id).digest, time.Now()))
}

// strays notes that an object was seen to be another than wanted while a delivery is under way.
func (l *leg) strays(id manifest.ID) {
	if l.astray == nil {
		l.astray = map[manifest.ID]bool{}
	}
	l.astray[id] = true
}

// retrieve has put right what strayed while the cluster was delivered, and still does. What failed is tried again anyway, in
// its own time. The caller holds f.mu.
func (b *bulkhead) retrieve(f *federation, l *leg) {
	if !l.run.Finished {
		return
	}
	for id := range l.astray {
		w := l.wants.of(id)
		seen, there := l.live.Get(id)
		if w.digest != "" && w.held == "" && l.errors[id] == "" && (!there || seen.Digest != w.digest || !seen.Intact) {
			b.enqueueAfter(f, max(gather, l.fights.truce(id, w.digest, time.Now()))) // what was made anew is told of by then
		}
	}
	clear(l.astray)
}

// enqueueAfter has drift repaired after a while.
func (b *bulkhead) enqueueAfter(f *federation, wait time.Duration) {
	b.queue.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(int(forDrift)), After: wait}, f.key)
}

// fought takes note of what a delivery put right, and of what it left as it is, which is looked at again when the first truce
// is over. The caller holds f.mu.
func (b *bulkhead) fought(f *federation, l *leg, o live.Outcome) {
	now := time.Now()
	l.repaired(o.Drift, now)
	var waits []time.Duration
	for _, id := range o.Spared {
		waits = append(waits, l.fights.truce(id, l.wants.of(id).digest, now))
	}
	if len(waits) > 0 {
		b.enqueueAfter(f, slices.Min(waits))
	}
}

// tellFights brings what is told of the fights of a delivery up to date, and has it looked at again while there are any. The
// caller holds f.mu.
func (r *reporter) tellFights(f *federation, l *leg) {
	for _, x := range l.calm(time.Now()) {
		r.engine.event(l.delivery, normal, fightEnded, fmt.Sprintf("%s was not changed any more since it was put right the %dth time", x.last.ID, x.count))
		l.run.Drift = slices.DeleteFunc(l.run.Drift, func(line string) bool { return strings.HasPrefix(line, x.last.ID.String()+" ") })
	}
	l.run.Contended = l.fights.lines()
	for _, x := range l.fights.begun() {
		x.told = true
		r.engine.event(l.delivery, warning, fightBegan, x.String())
	}
	if len(l.run.Contended) > 0 {
		r.queue.AddAfter(entry{federation: f.key, cluster: l.cluster}, fightWindow)
	}
}

// begun are the fights that nobody was told of, sorted.
func (all fights) begun() []*fight {
	untold := slices.DeleteFunc(slices.Collect(maps.Values(all)), func(x *fight) bool { return !x.on() || x.told })
	slices.SortFunc(untold, func(a, b *fight) int { return a.last.ID.Compare(b.last.ID) })
	return untold
}

// remembered adds a line to those about drift, once, and forgets the oldest beyond a bound.
func remembered(lines []string, line string) []string {
	lines = append(slices.DeleteFunc(slices.Clone(lines), func(old string) bool { return old == line }), line)
	return lines[max(0, len(lines)-keptDrift):]
}
