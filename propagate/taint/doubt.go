package taint

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// minDoubted is the least number of clusters whose failure at the same time makes accord doubt its own network.
const minDoubted = 2

// Fleet counts the clusters of the hub.
type Fleet struct {
	// NotReady counts the clusters that were Ready or probed before, and are not Ready; All counts all clusters.
	NotReady, All int
	// MaxNotReady is the percentage of All above which accord doubts its own network.
	MaxNotReady int
	// Witness is the reason why accord does not reach its witness; empty if it does, or has none. Without it accord doubts its own
	// network, too.
	Witness string
}

// Doubted reports whether so many clusters are not Ready at once that accord doubts its own network.
func (f Fleet) Doubted() bool {
	return f.NotReady >= minDoubted && f.NotReady*100 > f.MaxNotReady*f.All
}

// Blocked returns the condition FailoverBlocked of a cluster that is not Ready: True while accord doubts its own network, and False
// afterwards, until the cluster is Ready. It is nil if accord has not doubted since the cluster is not Ready.
func (f Fleet) Blocked(before *metav1.Condition, generation int64, now time.Time) *metav1.Condition {
	next := metav1.Condition{
		Type: v1alpha1.FailoverBlocked, Status: metav1.ConditionFalse, Reason: v1alpha1.FewClustersNotReady, ObservedGeneration: generation,
		LastTransitionTime: metav1.NewTime(now.UTC().Truncate(time.Second)),
		Message:            "fewer clusters are not Ready; the time until the taint NoExecute began again",
	}
	switch {
	case f.Doubted():
		next.Status, next.Reason = metav1.ConditionTrue, v1alpha1.ManyClustersNotReady
		next.Message = fmt.Sprintf("%d of %s are not Ready, more than %d%%: accord doubts its own network, and adds no taint NoExecute",
			f.NotReady, phrase.Count(f.All, "cluster"), f.MaxNotReady)
	case f.Witness != "":
		next.Status, next.Reason = metav1.ConditionTrue, v1alpha1.WitnessUnreachable
		next.Message = f.Witness + ": accord doubts its own network, and adds no taint NoExecute"
	case before == nil:
		return nil
	case before.Reason == v1alpha1.WitnessUnreachable, before.Reason == v1alpha1.WitnessReachable:
		next.Reason = v1alpha1.WitnessReachable
		next.Message = "accord reaches the witness; the time until the taint NoExecute began again"
	}
	if before != nil && before.Status == next.Status {
		next.LastTransitionTime = before.LastTransitionTime
	}
	return &next
}
