package reconciler

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// driftCorrected is the reason of events about drift.
	driftCorrected = "DriftCorrected"
	// namedDrift is how many objects one event about drift names.
	namedDrift = 5
)

// absences tells what was deleted from what was never there: the inventory lists an object before it is written, and a
// write may fail, or be overtaken by the next commit. It is guarded by the mutex of the federation.
type absences struct {
	// vanished are the wanted objects that were seen going since they were written last.
	vanished map[manifest.ID]bool
	// recorded: the inventory lists what may never have been written, by this process or by the one before, which ended
	// in the middle of a delivery. Otherwise it is believed: what it lists was there, and went while nobody watched.
	recorded bool
	// recreated are those that we deleted ourselves to make them anew.
	recreated map[manifest.ID]bool
}

// absencesSince is what can be told of the inventory that a process before this one left.
func absencesSince(d *v1alpha1.Delivery) absences {
	applied := meta.FindStatusCondition(d.Status.Conditions, v1alpha1.Applied)
	return absences{recorded: applied == nil || applied.Status != metav1.ConditionTrue || applied.ObservedGeneration != d.Generation}
}

// vanish notes that a wanted object was seen going.
func (a *absences) vanish(id manifest.ID) {
	if a.vanished == nil {
		a.vanished = map[manifest.ID]bool{}
	}
	a.vanished[id] = true
}

// recreate notes that it is us who deleted an object.
func (a *absences) recreate(id manifest.ID) {
	if a.recreated == nil {
		a.recreated = map[manifest.ID]bool{}
	}
	a.recreated[id] = true
}

// drift is what of an outcome somebody else did.
func (a *absences) drift(o live.Outcome) []live.Drift {
	theirs := slices.DeleteFunc(slices.Clone(o.Drift), func(d live.Drift) bool {
		return d.What == live.Deleted && (a.recorded && !a.vanished[d.ID] || a.recreated[d.ID])
	})
	for _, id := range o.Recreated {
		a.recreate(id)
	}
	for id := range o.Answers {
		delete(a.vanished, id)
		delete(a.recreated, id)
	}
	return theirs
}

// reportDrift tells people what was changed back, one event for every field manager that did it.
func (e *engine) reportDrift(f *federation, cluster string, drift []live.Drift) {
	if len(drift) == 0 {
		return
	}
	f.mu.Lock()
	var about *v1alpha1.Delivery
	if l := f.legs[cluster]; l != nil {
		about = l.delivery.DeepCopy()
	}
	f.mu.Unlock()
	if about == nil {
		return
	}
	for _, text := range driftLines(drift) {
		e.event(about, warning, driftCorrected, text)
	}
}

// driftLines has a line for everybody who changed or deleted something, in the order of their names.
func driftLines(drift []live.Drift) []string {
	by := map[[2]string][]string{}
	var who [][2]string
	for _, d := range drift {
		key := [2]string{d.Manager, d.What}
		if by[key] == nil {
			who = append(who, key)
		}
		by[key] = append(by[key], d.ID.String())
	}
	slices.SortFunc(who, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	var lines []string
	for _, key := range who {
		slices.Sort(by[key])
		line := fmt.Sprintf("put right what was %s", key[1])
		if key[0] != "" {
			line += " by " + key[0]
		}
		lines = append(lines, line+": "+listed(by[key], namedDrift))
	}
	return lines
}
