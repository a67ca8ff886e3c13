package status

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Run is how the delivery of one revision to one cluster went. The zero Run has not begun.
type Run struct {
	// Started says that writing to the cluster has begun.
	Started bool
	// Finished says that every object was tried, and that what is no longer wanted was removed.
	Finished bool
	// Error is what went wrong beside single objects: discovery, inventory, pruning. Empty when nothing did.
	Error string
	// Braked says what the prune brake stopped; empty when it did not.
	Braked string
	// Drift names what somebody else changed and was changed back: "apps/Deployment shop/web by kubectl-edit".
	Drift []string
	// Unreachable says why the cluster is not heard from; empty when it is.
	Unreachable string
	// Inventory and Orphaned replace those of the status before, unless they are nil.
	Inventory, Orphaned []string
	// HeardAt is when the cluster answered last.
	HeardAt time.Time
}

// Delivery is the status of a Delivery: revision is what is delivered, and there is one cell for every object that was decided
// for this cluster. No cell at all is a cluster from which everything goes: done as soon as the run is.
func Delivery(prev v1alpha1.DeliveryStatus, generation int64, revision string, run Run, cells []Cell, now time.Time) v1alpha1.DeliveryStatus {
	t := deliveryTally(cells)
	finished := run.Finished || !run.Started && prev.ObservedGeneration == generation && prev.LastAppliedRevision == revision
	v := run.verdict(t, finished)
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	run.conditions(c, t, finished)

	next := *prev.DeepCopy()
	next.ObservedGeneration, next.Summary = generation, t.Summary
	next.Conditions = c.summarize(v)
	next.Problems, next.Omitted = problems(prev.Problems, t, now)
	if run.Started {
		next.LastAttemptedRevision = revision
	}
	if s, _ := run.applied(t, finished); s == metav1.ConditionTrue && t.Held == 0 {
		next.LastAppliedRevision = revision
	}
	if v.ready == metav1.ConditionTrue {
		next.LastHealthyRevision = revision
	}
	if run.Inventory != nil {
		next.Inventory = run.Inventory
	}
	if run.Orphaned != nil {
		next.Orphaned = run.Orphaned
	}
	if !run.HeardAt.IsZero() && !equality.Semantic.DeepEqual(prev, next) { // it moves only with something else: it must not tick
		next.LastHeardAt = since(run.HeardAt)
	}
	return next
}

func deliveryTally(cells []Cell) tally {
	items := make([]item, 0, len(cells))
	for _, cell := range cells {
		items = append(items, cell.item(cell.Object.String()))
	}
	return count("objects", items)
}

// verdict judges the objects first, and then what is not about one of them.
func (r Run) verdict(t tally, finished bool) verdict {
	v := t.verdict()
	switch {
	case v.stalled:
		return v
	case r.Braked != "":
		return hopeless(PruneBlocked, "pruning is stopped: "+shorten(r.Braked, maxSentence)+"; "+t.String())
	case r.Unreachable != "":
		return trouble(ClustersUnreachable, "not heard from: "+shorten(r.Unreachable, maxSentence)+"; "+t.String())
	case r.Error != "":
		return trouble(ReconciliationFailed, shorten(r.Error, maxSentence)+"; "+t.String())
	case v.ready == metav1.ConditionTrue && !finished:
		return underway("not finished; " + t.String())
	}
	return v
}

// conditions sets all but the summary. Held and Drifted are there only when they are True.
func (r Run) conditions(c *conditions, t tally, finished bool) {
	if r.Unreachable != "" {
		c.set(v1alpha1.Reachable, metav1.ConditionFalse, Unreachable, r.Unreachable)
	} else {
		c.set(v1alpha1.Reachable, metav1.ConditionTrue, Connected, "the cluster answers")
	}
	t.running(c)
	s, reason := r.applied(t, finished)
	c.set(v1alpha1.Applied, s, reason, deliveryProgress(t))
	if t.Total == 0 {
		c.set(v1alpha1.HealthyType, metav1.ConditionTrue, Succeeded, "nothing is decided for this cluster")
	}
	if t.Held > 0 {
		c.set(v1alpha1.HeldType, metav1.ConditionTrue, Held, t.String())
	}
	if len(r.Drift) > 0 {
		shown := r.Drift[:min(len(r.Drift), maxWorst)]
		c.set(v1alpha1.Drifted, metav1.ConditionTrue, Corrected, plural(len(r.Drift), "object")+" changed back: "+strings.Join(shown, ", "))
	}
}

// applied is True when everything was written that is not held, and what is no longer wanted is gone.
func (r Run) applied(t tally, finished bool) (metav1.ConditionStatus, string) {
	s, reason := t.applied()
	switch {
	case s == metav1.ConditionFalse:
		return s, reason
	case r.Unreachable != "":
		return metav1.ConditionUnknown, ClustersUnreachable
	case r.Braked != "":
		return metav1.ConditionFalse, PruneBlocked
	case r.Error != "":
		return metav1.ConditionFalse, ReconciliationFailed
	case !finished:
		return metav1.ConditionUnknown, Progressing
	case t.Total == 0:
		return metav1.ConditionTrue, Succeeded
	}
	return s, reason
}

// problems lists the objects that are not fine. One that was in the same state before keeps its time.
func problems(before []v1alpha1.ObjectProblem, t tally, now time.Time) ([]v1alpha1.ObjectProblem, int32) {
	worst, omitted := t.problems()
	var list []v1alpha1.ObjectProblem
	for _, i := range worst {
		p := v1alpha1.ObjectProblem{Object: i.name, State: i.state, Message: i.message, Since: since(i.since)}
		for _, old := range before {
			if p.Since == nil && old.Object == p.Object && old.State == p.State {
				p.Since = old.Since
			}
		}
		if p.Since == nil {
			p.Since = since(now)
		}
		list = append(list, p)
	}
	return list, omitted
}

func deliveryProgress(t tally) string {
	return fmt.Sprintf("%d of %s run what was decided", t.Summary.Applied, plural(int(t.Total), "object"))
}
