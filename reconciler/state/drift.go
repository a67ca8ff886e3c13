package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// driftCorrected is the reason of events about drift.
	driftCorrected = "DriftCorrected"
	// namedDrift bounds the objects that one event about drift names.
	namedDrift = 5
	// keptDrift bounds the repairs that a Delivery lists.
	keptDrift = 50
)

// repair requests the repair of an object, at once or at the end of its back-off. While a delivery is under way, missing
// and outdated objects are most often those that it is about to change: they are checked when it ends.
func (f *Federation) repair(c *Changes, l *cluster, id manifest.ID, now time.Time) {
	if l.run.Finished {
		f.requestRepair(c, l, l.contention.backoff(id, l.wants.of(id).digest, now))
		return
	}
	if l.drifted == nil {
		l.drifted = map[manifest.ID]bool{}
	}
	l.drifted[id] = true
}

// repairDrifted requests the repair of what drifted during a delivery and still differs. A failed object is retried
// anyway, in its own time.
func (f *Federation) repairDrifted(c *Changes, l *cluster, now time.Time) {
	if !l.run.Finished {
		return
	}
	for id := range l.drifted {
		w := l.wants.of(id)
		if seen, _ := l.live.Get(id); w.drifted(seen) && l.errors[id] == "" {
			f.requestRepair(c, l, max(Gather, l.contention.backoff(id, w.digest, now))) // a recreated object is observed by then
		}
	}
	clear(l.drifted)
}

func (f *Federation) requestRepair(c *Changes, l *cluster, after time.Duration) {
	c.Deliveries = append(c.Deliveries, DeliveryRequest{Federation: f.key, Cluster: l.name, Priority: Repair, After: after})
}

// absences distinguishes objects that somebody deleted from objects that never existed: the inventory lists an object
// before it is written, and the write may fail, or the next commit may overtake it.
type absences struct {
	// vanished are wanted objects that were observed to go since they were written last.
	vanished map[manifest.ID]bool
	// recorded is set if the inventory lists objects that may never have been written, by this process or by the one before,
	// which ended during a delivery. Otherwise the inventory is believed: its objects existed, and went while nobody watched.
	recorded bool
	// recreated are objects that accord deleted to recreate them.
	recreated map[manifest.ID]bool
}

// absencesSince returns what the inventory of the process before this one allows to distinguish.
func absencesSince(d *v1alpha1.Delivery) absences {
	applied := meta.FindStatusCondition(d.Status.Conditions, v1alpha1.Applied)
	return absences{recorded: applied == nil || applied.Status != metav1.ConditionTrue || applied.ObservedGeneration != d.Generation}
}

// vanish records that a wanted object was observed to go.
func (a *absences) vanish(id manifest.ID) {
	if a.vanished == nil {
		a.vanished = map[manifest.ID]bool{}
	}
	a.vanished[id] = true
}

// recreate records that accord deleted an object.
func (a *absences) recreate(id manifest.ID) {
	if a.recreated == nil {
		a.recreated = map[manifest.ID]bool{}
	}
	a.recreated[id] = true
}

// drift returns the part of a result that others caused.
func (a *absences) drift(r Result) []live.Drift {
	theirs := slices.DeleteFunc(slices.Clone(r.Drift), func(d live.Drift) bool {
		return d.What == live.Deleted && (a.recorded && !a.vanished[d.ID] || a.recreated[d.ID])
	})
	for _, id := range r.Recreated {
		a.recreate(id)
	}
	for id := range r.Answers {
		delete(a.vanished, id)
		delete(a.recreated, id)
	}
	return theirs
}

// describe returns one repair as a Delivery lists it.
func describe(d live.Drift) string {
	s := d.ID.String() + " " + d.What
	if d.Fields != "" {
		s = d.ID.String() + " " + d.Fields + " " + d.What
	}
	if d.Manager != "" {
		s += " by " + d.Manager
	}
	return s
}

// remember adds a line to a list, once, and drops the oldest beyond a bound.
func remember(lines []string, line string) []string {
	lines = append(slices.DeleteFunc(slices.Clone(lines), func(old string) bool { return old == line }), line)
	return lines[max(0, len(lines)-keptDrift):]
}

// drift adds one event for every field manager whose changes were repaired.
func (c *Changes) drift(about *v1alpha1.Delivery, drift []live.Drift) {
	by := map[[2]string][]string{}
	var causes [][2]string
	for _, d := range drift {
		key := [2]string{d.Manager, d.What}
		if by[key] == nil {
			causes = append(causes, key)
		}
		by[key] = append(by[key], d.ID.String())
	}
	slices.SortFunc(causes, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range causes {
		slices.Sort(by[key])
		text := "repaired, " + key[1]
		if key[0] != "" {
			text += " by " + key[0]
		}
		c.event(about, Warning, driftCorrected, text+": "+listed(by[key], namedDrift))
	}
}

// listed names the first few of many.
func listed(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
