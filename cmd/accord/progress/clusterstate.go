package progress

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/status"
)

// ClusterState is the state of one cluster in one federation.
type ClusterState struct {
	State v1alpha1.State
	// Applied reports whether the cluster has all objects of the revision.
	Applied bool
	// Stalled reports whether no retry can help.
	Stalled bool
	Since   *metav1.Time
	Note    string
}

// DeliveryState returns the state of a Delivery with respect to revision; an empty revision is the Delivery's own. A Delivery of
// another revision, or with the status of an older generation, is Progressing, unless the cluster is unreachable.
func DeliveryState(d *v1alpha1.Delivery, revision string) ClusterState {
	st, generation := d.Status, d.Generation
	known := func(kind string) *metav1.Condition { return Condition(st.Conditions, generation, kind) }
	if c := known(v1alpha1.Reachable); isFalse(c) {
		return ClusterState{State: v1alpha1.Unreachable, Since: &c.LastTransitionTime, Note: c.Message}
	}
	if revision != "" && d.Spec.Revision != revision {
		return ClusterState{State: v1alpha1.Progressing, Note: "is still on " + text.ShortRevision(d.Spec.Revision)}
	}
	if st.ObservedGeneration != generation {
		return ClusterState{State: v1alpha1.Progressing, Note: "has not started yet"}
	}
	p := ClusterState{
		State:   v1alpha1.Progressing,
		Applied: isTrue(known(v1alpha1.Applied)) && st.Summary.Applied == st.Summary.Total,
		Stalled: isTrue(known("Stalled")),
	}
	ready := known("Ready")
	if ready != nil {
		p.Since, p.Note = &ready.LastTransitionTime, cmp.Or(firstProblem(d), ready.Message)
	}
	switch held := known(v1alpha1.HeldType); {
	case isTrue(ready):
		p.State, p.Note = v1alpha1.Healthy, ""
	case isFalse(ready):
		p.State = v1alpha1.Failed
	case isTrue(held) && ready != nil && ready.Reason == status.Held: // not while something else is under way
		p.State, p.Since, p.Note = v1alpha1.Held, &held.LastTransitionTime, cmp.Or(heldReason(d), held.Message)
	}
	return p
}

// heldReason returns the reason of the first held object, and "" if there is none.
func heldReason(d *v1alpha1.Delivery) string {
	for _, p := range d.Status.Problems {
		if p.State == v1alpha1.Held {
			return p.Message
		}
	}
	return ""
}

// firstProblem returns "apps/Deployment shop/api: image not found", and "" if there is none.
func firstProblem(d *v1alpha1.Delivery) string {
	for _, p := range d.Status.Problems {
		if NeedsAttention(p.State) {
			return text.Join(": ", p.Object, p.Message)
		}
	}
	return ""
}

// NeedsAttention reports whether objects in this state are listed as problems.
func NeedsAttention(s v1alpha1.State) bool { return s == v1alpha1.Failed || s == v1alpha1.Progressing }
