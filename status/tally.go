package status

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// maxProblems limits the items that a status lists.
const maxProblems = 10

// item is a counted thing: a cluster of an object or of a release, or an object of a delivery.
type item struct {
	name    string
	state   v1alpha1.State
	message string
	applied bool
	// written: everything that is not held was written.
	written bool
	// refused and terminal explain Failed, see Cell.
	refused, terminal bool
	// mutated explains Failed: the cluster changed applied fields.
	mutated bool
	since   time.Time
}

// tally counts items and summarizes them.
type tally struct {
	noun string // "clusters", "objects"
	v1alpha1.Summary

	// worst has the first items, at most maxProblems, worst first, then by name. Items that countBeside counts beside come last.
	worst []item
	// first has the first item by name of each state of severity that any item has.
	first [len(severity)]*item
	// unwritten and pending count the items that are not written: all of them, and those on reachable clusters.
	unwritten, pending int
	// terminal, refused and mutated report whether any item is so; refused ones are Failed.
	terminal, refused, mutated bool
}

// severity orders states, worst first.
var severity = [...]v1alpha1.State{v1alpha1.Failed, v1alpha1.Unreachable, v1alpha1.Progressing, v1alpha1.Held, v1alpha1.Healthy}

func count(noun string, items []item) tally { return countBeside(noun, slices.Values(items), 0) }

// countBeside also counts a number of further items, which are healthy and applied, and which nothing is known of.
func countBeside(noun string, items iter.Seq[item], healthy int) tally {
	t := tally{noun: noun}
	t.Total, t.Applied, t.Healthy = int32(healthy), int32(healthy), int32(healthy)
	for i := range items {
		t.add(i)
	}
	t.Display = fmt.Sprintf("%d/%d", t.Healthy, t.Total)
	return t
}

// add counts an item. It costs the same whatever the number of items.
func (t *tally) add(i item) {
	t.Total++
	*t.counter(i.state)++
	if i.applied {
		t.Applied++
	}
	if !i.written {
		t.unwritten++
		if i.state != v1alpha1.Unreachable {
			t.pending++
		}
	}
	t.terminal, t.mutated = t.terminal || i.terminal, t.mutated || i.mutated
	t.refused = t.refused || i.state == v1alpha1.Failed && i.refused
	if at := slices.Index(severity[:], i.state); t.first[at] == nil || i.name < t.first[at].name {
		first := i // the parameter would escape
		t.first[at] = &first
	}
	if n := len(t.worst); n == maxProblems && !worse(i, t.worst[n-1]) {
		return
	} else if n == maxProblems {
		t.worst = t.worst[:n-1]
	}
	at := slices.IndexFunc(t.worst, func(kept item) bool { return worse(i, kept) })
	if at < 0 {
		at = len(t.worst)
	}
	t.worst = slices.Insert(t.worst, at, i)
}

// worse reports whether a comes before b in worst.
func worse(a, b item) bool {
	if a.state != b.state {
		return slices.Index(severity[:], a.state) < slices.Index(severity[:], b.state)
	}
	return a.name < b.name
}

// counter returns the counter of a state.
func (t *tally) counter(s v1alpha1.State) *int32 {
	switch s {
	case v1alpha1.Healthy:
		return &t.Healthy
	case v1alpha1.Failed:
		return &t.Failed
	case v1alpha1.Held:
		return &t.Held
	case v1alpha1.Unreachable:
		return &t.Unreachable
	}
	return &t.Progressing
}

// problems returns the items that are not healthy, worst first, at most ten, and the number of omitted ones.
func (t *tally) problems() ([]item, int32) {
	n := int(t.Total - t.Healthy) // healthy ones are sorted last
	shown := min(n, maxProblems)
	return t.worst[:shown], int32(n - shown)
}

// String is "1 of 3 clusters healthy, 1 failed: east (...), 1 held: west (...)": the worst first, one named of each state.
func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d %s healthy", t.Healthy, t.Total, t.noun)
	for at, s := range severity[:len(severity)-1] {
		i := t.first[at]
		if i == nil {
			continue
		}
		n := *t.counter(s)
		fmt.Fprintf(&b, ", %d %s: %s", n, strings.ToLower(string(s)), i.name)
		if m := i.message; m != "" {
			fmt.Fprintf(&b, " (%s)", shorten(m, maxSentence/2))
		}
		if n > 1 {
			fmt.Fprintf(&b, " and %d more", n-1)
		}
	}
	return b.String()
}

// verdict summarizes the items. Progressing items precede unreachable and held ones: ClustersUnreachable means done
// except for those clusters, and Held done except for the held ones.
func (t *tally) verdict() verdict {
	message := t.String()
	switch {
	case t.terminal:
		return terminal(BuildFailed, message)
	case t.mutated:
		return terminal(Mutated, message)
	case t.refused:
		return retrying(ApplyFailed, message)
	case t.Failed > 0:
		return retrying(HealthCheckFailed, message)
	case t.Progressing > 0:
		return inProgress(message)
	case t.Unreachable > 0:
		return retrying(ClustersUnreachable, message)
	case t.Held > 0:
		return waiting(Held, message)
	}
	return succeeded(message)
}

// running sets Applied and Healthy.
func (t *tally) running(c *conditions) {
	s, reason := t.applied()
	c.set(v1alpha1.Applied, s, reason, fmt.Sprintf("%d of %d %s run what was decided", t.Summary.Applied, t.Total, t.noun))
	s, reason = t.healthy()
	c.set(v1alpha1.HealthyType, s, reason, fmt.Sprintf("%d of %d %s healthy", t.Healthy, t.Total, t.noun))
}

// applied is True when everything that is not held was written.
func (t *tally) applied() (metav1.ConditionStatus, string) {
	switch {
	case t.terminal:
		return metav1.ConditionFalse, BuildFailed
	case t.mutated:
		return metav1.ConditionFalse, Mutated
	case t.refused:
		return metav1.ConditionFalse, ApplyFailed
	case t.Total == 0:
		return metav1.ConditionUnknown, NoClusterFits
	case t.unwritten == 0:
		return metav1.ConditionTrue, Succeeded
	case t.pending == 0:
		return metav1.ConditionUnknown, ClustersUnreachable
	}
	return metav1.ConditionUnknown, Progressing
}

// healthy is True when everything is healthy, held or not.
func (t *tally) healthy() (metav1.ConditionStatus, string) {
	switch {
	case t.Total == 0:
		return metav1.ConditionUnknown, NoClusterFits
	case t.Healthy == t.Total:
		return metav1.ConditionTrue, Succeeded
	case t.terminal:
		return metav1.ConditionFalse, BuildFailed
	case t.mutated:
		return metav1.ConditionFalse, Mutated
	case t.refused:
		return metav1.ConditionFalse, ApplyFailed
	case t.Failed > 0:
		return metav1.ConditionFalse, HealthCheckFailed
	case t.Progressing > 0:
		return metav1.ConditionUnknown, Progressing
	case t.Unreachable > 0:
		return metav1.ConditionUnknown, ClustersUnreachable
	}
	return metav1.ConditionUnknown, Held
}
