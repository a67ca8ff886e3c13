// Package notify sends HTTP requests about Releases to the receivers that Federations name.
package notify

import (
	"slices"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// eventOf returns the state of a Release that receivers are interested in, and "" if there is none. The first matching row decides:
//
//	superseded, or the status is about another plan   none
//	a rollout is halted or was rolled back            Halted
//	Stalled                                           Failed: another commit is needed
//	Ready                                             Done
//	not approved                                      none: nothing has started
//	otherwise                                         Started
func eventOf(r *v1alpha1.Release) v1alpha1.ReleaseEvent {
	conditions := r.Status.Conditions
	ready := meta.FindStatusCondition(conditions, fluxmeta.ReadyCondition)
	if r.Status.SupersededBy != "" || ready == nil || r.Status.ObservedGeneration != r.Generation || ready.ObservedGeneration != r.Generation {
		return ""
	}
	ended := func(s v1alpha1.RolloutStatus) bool { return s.Phase == status.Halted || s.Phase == status.RolledBack }
	switch {
	case slices.ContainsFunc(r.Status.Rollouts, ended):
		return v1alpha1.ReleaseHalted
	case meta.IsStatusConditionTrue(conditions, fluxmeta.StalledCondition):
		return v1alpha1.ReleaseFailed
	case ready.Status == metav1.ConditionTrue:
		return v1alpha1.ReleaseDone
	case meta.IsStatusConditionFalse(conditions, v1alpha1.Approved):
		return ""
	default:
		return v1alpha1.ReleaseStarted
	}
}

// wants reports whether a notification is about the event.
func wants(n v1alpha1.Notification, e v1alpha1.ReleaseEvent) bool {
	return len(n.Events) == 0 || slices.Contains(n.Events, e)
}
