package status

import (
	"cmp"
	"fmt"
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

// tally counts items and summarizes them. Items are sorted worst first, then by name; healthy and applied ones may be
// missing.
type tally struct {
	noun  string // "clusters", "objects"
	items []item
	v1alpha1.Summary
}

// severity orders states, worst first.
var severity = []v1alpha1.State{v1alpha1.Failed, v1alpha1.Unreachable, v1alpha1.Progressing, v1alpha1.Held, v1alpha1.Healthy}

func count(noun string, items []item) tally { return countBeside(noun, items, 0) }

// countBeside also counts a number of further items, which are healthy and applied, and which nothing is known of.
func countBeside(noun string, items []item, healthy int) tally {
	slices.SortStableFunc(items, func(a, b item) int {
		if a.state != b.state {
			return cmp.Compare(slices.Index(severity, a.state), slices.Index(severity, b.state))
		}
		return cmp.Compare(a.name, b.name)
	})
	t := tally{noun: noun, items: items}
	t.Total, t.Applied, t.Healthy = int32(len(items)+healthy), int32(healthy), int32(healthy)
	for _, i := range items {
		if i.applied {
			t.Applied++
		}
		*t.counter(i.state)++
	}
	t.Display = fmt.Sprintf("%d/%d", t.Healthy, t.Total)
	return t
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
func (t tally) problems() ([]item, int32) {
	n := int(t.Total - t.Healthy) // healthy ones are sorted last
	shown := min(n, maxProblems)
	return t.items[:shown], int32(n - shown)
}

// String is "1 of 3 clusters healthy, 1 failed: east (...), 1 held: west (...)": the worst first, one named of each state.
func (t tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d %s healthy", t.Healthy, t.Total, t.noun)
	for _, s := range severity[:len(severity)-1] {
		i := slices.IndexFunc(t.items, func(i item) bool { return i.state == s })
		if i < 0 {
			continue
		}
		n := *t.counter(s)
		fmt.Fprintf(&b, ", %d %s: %s", n, strings.ToLower(string(s)), t.items[i].name)
		if m := t.items[i].message; m != "" {
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
func (t tally) verdict() verdict {
	message := t.String()
	switch {
	case t.terminal():
		return terminal(BuildFailed, message)
	case t.mutated():
		return terminal(Mutated, message)
	case t.refused():
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

func (t tally) terminal() bool {
	return slices.ContainsFunc(t.items, func(i item) bool { return i.terminal })
}

func (t tally) refused() bool {
	return slices.ContainsFunc(t.items, func(i item) bool { return i.state == v1alpha1.Failed && i.refused })
}

func (t tally) mutated() bool {
	return slices.ContainsFunc(t.items, func(i item) bool { return i.mutated })
}

// running sets Applied and Healthy.
func (t tally) running(c *conditions) {
	s, reason := t.applied()
	c.set(v1alpha1.Applied, s, reason, fmt.Sprintf("%d of %d %s run what was decided", t.Summary.Applied, t.Total, t.noun))
	s, reason = t.healthy()
	c.set(v1alpha1.HealthyType, s, reason, fmt.Sprintf("%d of %d %s healthy", t.Healthy, t.Total, t.noun))
}

// applied is True when everything that is not held was written.
func (t tally) applied() (metav1.ConditionStatus, string) {
	switch {
	case t.terminal():
		return metav1.ConditionFalse, BuildFailed
	case t.mutated():
		return metav1.ConditionFalse, Mutated
	case t.refused():
		return metav1.ConditionFalse, ApplyFailed
	case t.Total == 0:
		return metav1.ConditionUnknown, NoClusterFits
	case t.all(func(i item) bool { return i.written }):
		return metav1.ConditionTrue, Succeeded
	case t.all(func(i item) bool { return i.written || i.state == v1alpha1.Unreachable }):
		return metav1.ConditionUnknown, ClustersUnreachable
	}
	return metav1.ConditionUnknown, Progressing
}

func (t tally) all(f func(item) bool) bool {
	return !slices.ContainsFunc(t.items, func(i item) bool { return !f(i) })
}

// healthy is True when everything is healthy, held or not.
func (t tally) healthy() (metav1.ConditionStatus, string) {
	switch {
	case t.Total == 0:
		return metav1.ConditionUnknown, NoClusterFits
	case t.Healthy == t.Total:
		return metav1.ConditionTrue, Succeeded
	case t.terminal():
		return metav1.ConditionFalse, BuildFailed
	case t.mutated():
		return metav1.ConditionFalse, Mutated
	case t.refused():
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
