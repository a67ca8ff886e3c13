package status

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// The functions below replace claims of the process before this one that this process cannot check: after a restart no
// status may be green that this process has not observed. Counts, lists and failures of the commit itself stay.

// UnobservedDelivery returns the status of a Delivery that this process does not observe. why is the reason.
func UnobservedDelivery(s v1alpha1.DeliveryStatus, generation int64, why string, now time.Time) v1alpha1.DeliveryStatus {
	if s.LastProbeTime != nil {
		why += "; the last observation is of " + s.LastProbeTime.UTC().Format(time.RFC3339)
	}
	s.Conditions, s.Summary = unobserved(s.Conditions, generation, why, now), unknown(s.Summary)
	s.Message = headline(s.Conditions)
	return s
}

// UnobservedObject returns the status of a FederatedObject that this process does not observe on any cluster.
func UnobservedObject(s v1alpha1.FederatedObjectStatus, generation int64, why string, now time.Time) v1alpha1.FederatedObjectStatus {
	s.Conditions, s.Summary = unobserved(s.Conditions, generation, why, now), unknown(s.Summary)
	s.Message = headline(s.Conditions)
	return s
}

// UnobservedRelease returns the status of a Release whose clusters this process does not observe.
func UnobservedRelease(s v1alpha1.ReleaseStatus, generation int64, why string, now time.Time) v1alpha1.ReleaseStatus {
	s.Conditions, s.Summary = unobserved(s.Conditions, generation, why, now), unknown(s.Summary)
	s.Message = headline(s.Conditions)
	return s
}

// unobserved makes every condition unknown that is about a cluster.
func unobserved(before []metav1.Condition, generation int64, why string, now time.Time) []metav1.Condition {
	c := &conditions{before: before, generation: generation, now: now}
	for _, old := range before {
		switch old.Type {
		case ready, reconciling, stalled:
		case v1alpha1.Applied, v1alpha1.HealthyType, v1alpha1.Reachable:
			c.set(old.Type, metav1.ConditionUnknown, NotObserved, why)
		default:
			c.keep(old.Type)
		}
	}
	return c.summarize(verdict{ready: metav1.ConditionUnknown, reason: NotObserved, message: why, reconciling: ProgressingWithRetry})
}

// unknown counts everything as progressing: nothing is known to be applied or healthy.
func unknown(s v1alpha1.Summary) v1alpha1.Summary {
	return v1alpha1.Summary{Total: s.Total, Progressing: s.Total, Display: fmt.Sprintf("0/%d", s.Total)}
}
