package progress

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/status"
)

// A place is one cluster's part in one federation, in the words of the tables.
type ClusterState struct {
	State v1alpha1.State
	// Applied: the cluster was given all of the revision.
	Applied bool
	// Stalled: no retry can help.
	Stalled bool
	Since   *metav1.Time
	Note    string
}

// DeliveryState reads a Delivery with respect to revision; empty stands for the one that the Delivery has.
// A Delivery that is on another revision, or whose status speaks about an older generation, is on its way,
// whatever its status says; only that the cluster is not heard from or is held is worth knowing all the same.
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

// heldReason is why the first held object is; empty when that is not known.
func heldReason(d *v1alpha1.Delivery) string {
	for _, p := range d.Status.Problems {
		if p.State == v1alpha1.Held {
			return p.Message
		}
	}
	return ""
}

// firstProblem is "apps/Deployment shop/api: image not found"; empty when there is none.
func firstProblem(d *v1alpha1.Delivery) string {
	for _, p := range d.Status.Problems {
		if NeedsAttention(p.State) {
			return text.Join(": ", p.Object, p.Message)
		}
	}
	return ""
}

// NeedsAttention tells whether an object in this state is one that something is done about.
func NeedsAttention(s v1alpha1.State) bool { return s == v1alpha1.Failed || s == v1alpha1.Progressing }
