package status

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// DeliveryState is the state of one cluster's Delivery, as a Release counts it.
type DeliveryState struct {
	Cluster string
	State   v1alpha1.State
	// Reason of the condition Ready of the Delivery.
	Reason string
	// Object is the worst object there, "apps/Deployment shop/web"; empty if no single object is the reason.
	Object  string
	Message string
	// Finalizer keeps Object from being deleted; empty if no deletion is waited for.
	Finalizer string
	// Mutated is the message of the condition Mutated; empty if no applied field has another value.
	Mutated string
	// Applied: everything was written there, and unwanted objects are gone.
	Applied bool
	// Written: the same, except for held objects.
	Written bool
	// Stalled: no retry can fix it.
	Stalled bool
	// Since this state; zero when it is not known.
	Since time.Time
}

// NewDeliveryState reads the status of the Delivery to a cluster. A status of another generation of the Delivery
// concerns another revision: the state is unknown then.
func NewDeliveryState(cluster string, generation int64, d v1alpha1.DeliveryStatus) DeliveryState {
	r := meta.FindStatusCondition(d.Conditions, ready)
	if r == nil || d.ObservedGeneration != generation || r.ObservedGeneration != generation {
		return DeliveryState{Cluster: cluster, State: v1alpha1.Progressing, Reason: Progressing, Message: "nothing is known of this revision yet"}
	}
	written := meta.IsStatusConditionTrue(d.Conditions, v1alpha1.Applied)
	l := DeliveryState{
		Cluster: cluster, State: deliveryState(*r), Reason: r.Reason, Message: r.Message,
		Applied: written && d.Summary.Held == 0, Written: written,
		Stalled: meta.IsStatusConditionTrue(d.Conditions, stalled),
		Since:   r.LastTransitionTime.Time,
	}
	// Ready may have been False or Unknown for longer, for another reason.
	if lost := meta.FindStatusCondition(d.Conditions, v1alpha1.Reachable); lost != nil && l.State == v1alpha1.Unreachable {
		l.Since = lost.LastTransitionTime.Time
	}
	if len(d.Problems) > 0 && d.Problems[0].State == objectReasons[r.Reason] {
		worst := d.Problems[0]
		l.Object, l.Message = worst.Object, worst.Message
		if worst.Since != nil {
			l.Since = worst.Since.Time
		}
	}
	if m := meta.FindStatusCondition(d.Conditions, v1alpha1.MutatedType); m != nil {
		l.Mutated = m.Message
	}
	if w := d.WaitingFor; w != nil {
		l.Object, l.Message, l.Finalizer, l.Since = w.Object, w.Message, w.Finalizer, w.Since.Time
	}
	return l
}

// objectReasons are the reasons for which the first problem explains more than the summary, if it is in that state.
var objectReasons = map[string]v1alpha1.State{
	ApplyFailed: v1alpha1.Failed, Mutated: v1alpha1.Failed, BuildFailed: v1alpha1.Failed, HealthCheckFailed: v1alpha1.Failed,
	Progressing: v1alpha1.Progressing, Held: v1alpha1.Held,
}

// deliveryState returns the state of a cluster from the condition Ready of its Delivery.
func deliveryState(r metav1.Condition) v1alpha1.State {
	switch {
	case r.Status == metav1.ConditionTrue:
		return v1alpha1.Healthy
	case r.Reason == ClustersUnreachable:
		return v1alpha1.Unreachable
	case r.Status == metav1.ConditionFalse:
		return v1alpha1.Failed
	case r.Reason == Held:
		return v1alpha1.Held
	}
	return v1alpha1.Progressing
}

// item returns the state as an item of a tally. A cluster with held objects does not run the wanted state, even if all
// the rest was written.
func (l DeliveryState) item() item {
	message := shorten(l.Message, maxSentence)
	if l.Object != "" {
		message = l.Object + ": " + message
	}
	return item{
		name: l.Cluster, state: l.State, message: message, applied: l.Applied && l.State != v1alpha1.Held,
		written: l.Applied || l.Written || l.State == v1alpha1.Held,
		refused: l.Reason != HealthCheckFailed, terminal: l.Stalled, since: l.Since,
	}
}
