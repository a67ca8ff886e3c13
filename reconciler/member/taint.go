package member

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sigs.k8s.io/controller-runtime/pkg/client"

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

// timeTaints sets the time of the taints that a person put on a Cluster and that evict. Those of Git have it already.
func (c *Controller) timeTaints(ctx context.Context, member *v1alpha1.Cluster) error {
	timed := taint.Timed(member.Spec.Taints, nil, time.Now())
	if member.Labels[v1alpha1.SourceLabel] != "" || equality.Semantic.DeepEqual(timed, member.Spec.Taints) {
		return nil
	}
	next := member.DeepCopy()
	next.Spec.Taints = timed
	patch := client.MergeFromWithOptions(member.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if err := c.Hub.Patch(ctx, next, patch, client.FieldOwner(v1alpha1.FieldManager)); err != nil {
		return fmt.Errorf("setting the time of the taints of cluster %s: %w", member.Name, err)
	}
	*member = *next
	return nil
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
