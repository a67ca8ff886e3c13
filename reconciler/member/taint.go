package member

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/taint"
)

// Taint takes over the taints that policies decided, by cluster, beside the declared ones, and has the Clusters updated.
// Taints stay until a policy removes them (Karmada 1.7), so they are part of the status.
func (c *Controller) Taint(all map[string][]corev1.Taint) {
	c.mu.Lock()
	maps.Copy(c.taints, all)
	c.mu.Unlock()
	for cluster := range all {
		c.Wake(cluster)
	}
}

// addTaints puts the taints of policies into the next status of a Cluster. The automatic taints stay.
func (c *Controller) addTaints(member *v1alpha1.Cluster, next *v1alpha1.ClusterStatus) {
	c.mu.Lock()
	wanted, decided := c.taints[member.Name]
	c.mu.Unlock()
	if decided {
		automatic := slices.DeleteFunc(slices.Clone(member.Status.Taints), func(t corev1.Taint) bool { return !taint.IsAutomatic(t.Key) })
		next.Taints = append(timed(wanted, member.Status.Taints, time.Now()), automatic...)
	}
}

// timed returns taints with the times of those that were there before. A new taint that evicts gets the current time
// (Karmada 1.8).
func timed(taints, before []corev1.Taint, now time.Time) []corev1.Taint {
	var all []corev1.Taint
	for _, t := range taints {
		t.TimeAdded = nil
		if i := slices.IndexFunc(before, func(b corev1.Taint) bool { return t.MatchTaint(&b) && t.Value == b.Value }); i >= 0 {
			t.TimeAdded = before[i].TimeAdded
		} else if t.Effect == corev1.TaintEffectNoExecute {
			t.TimeAdded = &metav1.Time{Time: now.UTC().Truncate(time.Second)}
		}
		all = append(all, t)
	}
	return all
}
