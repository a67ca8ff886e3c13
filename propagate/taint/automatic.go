package taint

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Health is the health of a cluster, as far as its automatic taints depend on it.
type Health struct {
	// Ready is the status of the condition Ready; empty before the first probe.
	Ready metav1.ConditionStatus
	// Answers means that the last probe succeeded, whatever Ready is.
	Answers bool
	// EvictionTimeout is the time from the taint NoSchedule to the taint NoExecute (failover-eviction-timeout of Karmada 1.3).
	EvictionTimeout time.Duration
	// Blocked is the condition FailoverBlocked; nil without it.
	Blocked *metav1.Condition
}

// IsAutomatic reports whether accord sets the taints of this key in the status of Clusters itself.
func IsAutomatic(key string) bool {
	return key == v1alpha1.TaintNotReady || key == v1alpha1.TaintUnreachable
}

// OfPolicies returns the taints that are not automatic.
func OfPolicies(taints []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool { return IsAutomatic(t.Key) })
}

// Automatic returns the taints of the status of a Cluster with its automatic taints behind the others (Karmada §5.3):
//
//	Ready                  NoSchedule    NoExecute
//	True, or never probed  none          none
//	False                  not-ready     not-ready, EvictionTimeout later
//	Unknown                unreachable   unreachable, EvictionTimeout later
//
// The taints of a cluster that changes between False and Unknown keep their times. No taint NoExecute is added while the cluster
// answers, and while accord doubts its own network; the timeout begins again at the end of the doubt. A taint NoExecute that is there
// stays until the cluster is Ready.
func Automatic(taints []corev1.Taint, h Health, now time.Time) []corev1.Taint {
	all, key := OfPolicies(taints), v1alpha1.TaintNotReady
	switch h.Ready {
	case metav1.ConditionTrue, "":
		return all
	case metav1.ConditionUnknown:
		key = v1alpha1.TaintUnreachable
	}
	since, _ := added(taints, corev1.TaintEffectNoSchedule, now)
	all = append(all, automatic(key, corev1.TaintEffectNoSchedule, since))
	if at, evicts := added(taints, corev1.TaintEffectNoExecute, now); evicts || h.evicts(since, now) {
		all = append(all, automatic(key, corev1.TaintEffectNoExecute, at))
	}
	return all
}

// evicts reports whether the taint NoExecute is added to a cluster that is not Ready since a time.
func (h Health) evicts(since, now time.Time) bool {
	blocked := false
	if h.Blocked != nil {
		blocked = h.Blocked.Status == metav1.ConditionTrue
		if end := h.Blocked.LastTransitionTime.Time; end.After(since) {
			since = end
		}
	}
	return !h.Answers && !blocked && now.Sub(since) >= h.EvictionTimeout
}

// added returns the time at which the automatic taint with an effect was added; now without such a taint.
func added(taints []corev1.Taint, effect corev1.TaintEffect, now time.Time) (at time.Time, found bool) {
	for _, t := range taints {
		if IsAutomatic(t.Key) && t.Effect == effect && t.TimeAdded != nil {
			return t.TimeAdded.Time, true
		}
	}
	return now, false
}

func automatic(key string, effect corev1.TaintEffect, at time.Time) corev1.Taint {
	return corev1.Taint{Key: key, Effect: effect, TimeAdded: &metav1.Time{Time: at.UTC().Truncate(time.Second)}}
}
