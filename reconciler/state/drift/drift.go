// Package drift distinguishes repairs of foreign changes from other writes of accord, and finds the objects that somebody changes
// back again and again.
package drift

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status"
)

const (
	// driftCorrected is the reason of events about drift.
	driftCorrected = "DriftCorrected"
	// namedDrift bounds the objects that one event about drift names.
	namedDrift = 5
	// keptDrift bounds the repairs that a Delivery lists.
	keptDrift = 50
)

// Absences distinguishes objects that somebody deleted from objects that never existed: the inventory lists an object
// before it is written, and the write may fail, or the next commit may overtake it.
type Absences struct {
	// vanished are wanted objects that were observed to go since they were written last.
	vanished map[manifest.ID]bool
	// Recorded is set if the inventory lists objects that may never have been written, by this process or by the one before,
	// which ended during a delivery. Otherwise the inventory is believed: its objects existed, and went while nobody watched.
	Recorded bool
	// recreated are objects that accord deleted to recreate them.
	recreated map[manifest.ID]bool
}

// AbsencesSince returns the distinctions that the inventory of the process before this one allows.
func AbsencesSince(d *v1alpha1.Delivery) Absences {
	applied := meta.FindStatusCondition(d.Status.Conditions, v1alpha1.Applied)
	return Absences{Recorded: !status.WasApplied(applied, d.Generation)}
}

// Vanish records that a wanted object was observed to go.
func (a *Absences) Vanish(id manifest.ID) {
	if a.vanished == nil {
		a.vanished = map[manifest.ID]bool{}
	}
	a.vanished[id] = true
}

// recreate records that accord deleted an object.
func (a *Absences) recreate(id manifest.ID) {
	if a.recreated == nil {
		a.recreated = map[manifest.ID]bool{}
	}
	a.recreated[id] = true
}

// Settle takes over a delivery: the drift that it repaired, the objects that it recreated, and those that it wrote. It returns
// the drift that others caused.
func (a *Absences) Settle(repaired []live.Drift, recreated []manifest.ID, written map[manifest.ID]live.Answer) []live.Drift {
	theirs := slices.DeleteFunc(slices.Clone(repaired), func(d live.Drift) bool {
		return d.What == live.Deleted && (a.Recorded && !a.vanished[d.ID] || a.recreated[d.ID])
	})
	for _, id := range recreated {
		a.recreate(id)
	}
	for id := range written {
		delete(a.vanished, id)
		delete(a.recreated, id)
	}
	return theirs
}

// Describe returns one repair as a Delivery lists it.
func Describe(d live.Drift) string {
	s := d.ID.String() + " " + d.What
	if d.Fields != "" {
		s = d.ID.String() + " " + d.Fields + " " + d.What
	}
	if d.Manager != "" {
		s += " by " + d.Manager
	}
	return s
}

// Remember adds a line to a list, once, and drops the oldest beyond a bound.
func Remember(lines []string, line string) []string {
	lines = append(slices.DeleteFunc(slices.Clone(lines), func(old string) bool { return old == line }), line)
	return lines[max(0, len(lines)-keptDrift):]
}

// AddEvents adds one event for every field manager whose changes were repaired.
func AddEvents(c *changes.Changes, about *v1alpha1.Delivery, repaired []live.Drift) {
	by := map[[2]string][]string{}
	var causes [][2]string
	for _, d := range repaired {
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
		c.Event(about, changes.Warning, driftCorrected, text+": "+phrase.First(by[key], namedDrift))
	}
}
