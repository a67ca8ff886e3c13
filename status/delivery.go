package status

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// Run is the delivery of one revision to one cluster. The zero Run has not started.
type Run struct {
	// Started is set when writing to the cluster has begun.
	Started bool
	// Finished is set when every object was tried, and unwanted objects were removed.
	Finished bool
	// Error is a failure that does not concern a single object: discovery, inventory, pruning. Empty if there is none.
	Error string
	// PruneBlocked describes the objects that the prune limits keep; empty if there are none.
	PruneBlocked string
	// Drift names objects that somebody else changed and that were repaired: "apps/Deployment shop/web by
	// kubectl-edit".
	Drift []string
	// Contended describes the objects that somebody else changes again and again, sorted.
	Contended []string
	// Unreachable is the reason why the cluster is unreachable; empty if it is reachable.
	Unreachable string
	// Outage has details of Unreachable.
	Outage Outage
	// Cluster is the name of the cluster, for WaitingFor.
	Cluster string
	// Deletions are the objects that were deleted and are still there, the oldest first. After DeletionTimeout the run is
	// stalled until they are gone; 0 is no limit.
	Deletions       []v1alpha1.PendingDeletion
	DeletionTimeout time.Duration
	// Mutated are the applied fields that have other values on the cluster, sorted.
	Mutated []v1alpha1.MutatedField
	// InventoryCount is the number of owned objects.
	InventoryCount int
	// Orphaned replaces that of the previous status, unless it is nil.
	Orphaned []string
	// RolledBackTo is the revision that a rollback delivers in place of the active one; empty without a rollback.
	RolledBackTo string
	// LastProbeTime is the time of the cluster's last answer.
	LastProbeTime time.Time
}

// Delivery returns the status of a Delivery of a revision, from one cell for every object that was decided for this
// cluster. Without cells the cluster gets nothing: it is done as soon as the run is.
func Delivery(prev v1alpha1.DeliveryStatus, generation int64, revision string, run Run, cells *Cells, now time.Time) v1alpha1.DeliveryStatus {
	t := cells.tally()
	p := progressOf(prev, generation, revision, run, cells)
	if len(run.Deletions) > 0 && p == finished {
		p = deleting
	}
	v := run.verdict(t, p, now)
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	run.conditions(c, t, p)

	next := copyBeside(prev)
	next.ObservedGeneration, next.Summary = generation, t.Summary
	next.Conditions = c.summarize(v)
	next.Message = headline(next.Conditions)
	next.Problems, next.Omitted = problems(prev.Problems, t, now)
	if run.Started {
		next.LastAttemptedRevision = revision
	}
	if s, _ := run.applied(t, p); s == metav1.ConditionTrue && t.Held == 0 {
		next.LastAppliedRevision = revision
	}
	if v.ready == metav1.ConditionTrue {
		next.LastHealthyRevision = revision
	}
	if run.RolledBackTo != "" && run.Finished {
		next.LastAppliedRevision = run.RolledBackTo
	}
	next.ShortRevision = phrase.Revision(next.LastAppliedRevision)
	next.InventoryCount = int32(run.InventoryCount)
	if run.Orphaned != nil {
		next.Orphaned = run.Orphaned
	}
	next.MutatedFields = run.Mutated[:min(len(run.Mutated), maxProblems)]
	next.WaitingFor = nil
	if p == deleting {
		next.WaitingFor = run.waitingFor(prev.WaitingFor, now)
	}
	if !run.LastProbeTime.IsZero() && !equality.Semantic.DeepEqual(prev, next) { // it moves only with something else: it must not tick
		next.LastProbeTime = since(run.LastProbeTime)
	}
	return next
}

// copyBeside returns a deep copy that shares the list of orphaned objects, which nobody changes in place.
func copyBeside(s v1alpha1.DeliveryStatus) v1alpha1.DeliveryStatus {
	orphaned := s.Orphaned
	s.Orphaned = nil
	next := *s.DeepCopy()
	next.Orphaned = orphaned
	return next
}

// progress is the state of a run.
type progress string

const (
	working  progress = "working"  // not at its end, or not begun
	stopped  progress = "stopped"  // not at its end, and everything is held: nobody works on it
	deleting progress = "deleting" // every object was tried, and unwanted objects wait for their finalizers
	finished progress = "finished" // every object was tried, and unwanted objects are gone
)

// progressOf returns the progress of a run, or, before it has started, of a run before a restart, which the status
// records.
func progressOf(prev v1alpha1.DeliveryStatus, generation int64, revision string, run Run, cells *Cells) progress {
	written := meta.FindStatusCondition(prev.Conditions, v1alpha1.Applied)
	remembered := prev.ObservedGeneration == generation && (prev.LastAppliedRevision == revision ||
		prev.LastAttemptedRevision == revision && WasApplied(written, generation))
	switch {
	case run.Finished || !run.Started && remembered:
		return finished
	case cells.allHeld():
		return stopped
	}
	return working
}

// verdict considers the objects first, and then problems that do not concern a single object.
func (r Run) verdict(t tally, p progress, now time.Time) verdict {
	v := t.verdict()
	switch {
	case v.stalled:
		return v
	case r.PruneBlocked != "":
		return terminal(PruneBlocked, "pruning is stopped: "+shorten(r.PruneBlocked, maxSentence)+"; "+t.String())
	case r.Unreachable != "":
		return retrying(ClustersUnreachable, "not heard from: "+shorten(r.Unreachable, maxSentence)+"; "+t.String())
	case r.Error != "":
		return retrying(ReconciliationFailed, shorten(r.Error, maxSentence)+"; "+t.String())
	case p == deleting && v.reconciling != ProgressingWithRetry:
		return r.deletionVerdict(t, now)
	case v.reconciling != "" || p == finished: // Ready=True and Held mean that all other objects are done
		return v
	case p == stopped:
		return waiting(Held, t.String())
	}
	return inProgress("not finished; " + t.String())
}

// conditions sets all conditions but the summary. Held and Drifted are only there when they are True.
func (r Run) conditions(c *conditions, t tally, p progress) {
	if r.Unreachable != "" {
		c.set(v1alpha1.Reachable, metav1.ConditionFalse, cmp.Or(r.Outage.Reason, Unreachable), r.Outage.of(r.Unreachable))
	} else {
		c.set(v1alpha1.Reachable, metav1.ConditionTrue, Connected, "the cluster answers")
	}
	t.running(c)
	r.mutationCondition(c)
	s, reason := r.applied(t, p)
	c.set(v1alpha1.Applied, s, reason, deliveryProgress(t))
	if t.Total == 0 {
		c.set(v1alpha1.HealthyType, metav1.ConditionTrue, Succeeded, "nothing is decided for this cluster")
	}
	if t.Held > 0 {
		c.set(v1alpha1.HeldType, metav1.ConditionTrue, Held, t.String())
	}
	if n := len(r.Contended); n > 0 {
		shown := r.Contended[:min(n, maxProblems)]
		c.set(v1alpha1.Drifted, metav1.ConditionTrue, ContentionDetected, phrase.Count(n, "object")+" changed again and again: "+strings.Join(shown, "; "))
	} else if len(r.Drift) > 0 {
		shown := r.Drift[:min(len(r.Drift), maxProblems)]
		c.set(v1alpha1.Drifted, metav1.ConditionTrue, Corrected, phrase.Count(len(r.Drift), "object")+" changed back: "+strings.Join(shown, ", "))
	}
}

// applied is True when everything that is not held was written, and unwanted objects are gone.
func (r Run) applied(t tally, p progress) (metav1.ConditionStatus, string) {
	s, reason := t.applied()
	switch {
	case s == metav1.ConditionFalse:
		return s, reason
	case r.Unreachable != "":
		return metav1.ConditionUnknown, ClustersUnreachable
	case r.PruneBlocked != "":
		return metav1.ConditionFalse, PruneBlocked
	case r.Error != "":
		return metav1.ConditionFalse, ReconciliationFailed
	case p == working, p == deleting:
		return metav1.ConditionUnknown, Progressing
	case p == stopped:
		return metav1.ConditionUnknown, Held
	case t.Total == 0:
		return metav1.ConditionTrue, Succeeded
	case t.Held == t.Total:
		return metav1.ConditionUnknown, Held // nothing of it was written
	}
	return s, reason
}

// problems lists the unhealthy objects. An object in the same state as before keeps its time.
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
	return fmt.Sprintf("%d of %s run what was decided", t.Summary.Applied, phrase.Count(int(t.Total), "object"))
}
