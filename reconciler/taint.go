package reconciler

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// taints are those that each Cluster is to have beside the declared ones, where ClusterTaintPolicies change what it has.
func (d decision) taints() map[string][]corev1.Taint {
	if len(d.input.TaintPolicies) == 0 {
		return nil
	}
	all, inForce := map[string][]corev1.Taint{}, d.plan.Taints()
	for i, c := range d.input.Fleet { // in the order of the members
		if !slices.EqualFunc(c.Taints, inForce[c.Name], sameTaint) {
			all[c.Name] = undeclared(inForce[c.Name], d.members[i].Spec.Taints)
		}
	}
	return all
}

// undeclared are the taints that are not among the declared ones.
func undeclared(taints, declared []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool {
		return slices.ContainsFunc(declared, func(d corev1.Taint) bool { return sameTaint(t, d) })
	})
}

// taint takes note of the taints that Clusters are to have beside the declared ones, and has the Clusters told. They stay
// until a policy removes them (Karmada §1.7), so they are written down.
func (p *prober) taint(all map[string][]corev1.Taint) {
	p.mu.Lock()
	maps.Copy(p.tainted, all)
	p.mu.Unlock()
	for cluster := range all {
		p.wake(cluster)
	}
}

// retaint puts the taints that policies decided into the next status of a Cluster, if they did.
func (p *prober) retaint(c *v1alpha1.Cluster, next *v1alpha1.ClusterStatus) {
	p.mu.Lock()
	wanted, decided := p.tainted[c.Name]
	p.mu.Unlock()
	if decided {
		next.Taints = timed(wanted, c.Status.Taints, time.Now())
	}
}

// timed is taints with the times of those that were there before. One that evicts and is new gets the time at which it
// came (Karmada §1.8).
func timed(taints, before []corev1.Taint, now time.Time) []corev1.Taint {
	var all []corev1.Taint
	for _, t := range taints {
		t.TimeAdded = nil
		if i := slices.IndexFunc(before, func(b corev1.Taint) bool { return sameTaint(t, b) }); i >= 0 {
			t.TimeAdded = before[i].TimeAdded
		} else if t.Effect == corev1.TaintEffectNoExecute {
			t.TimeAdded = &metav1.Time{Time: now.UTC().Truncate(time.Second)}
		}
		all = append(all, t)
	}
	return all
}

// sameTaint compares two taints without their times.
func sameTaint(a, b corev1.Taint) bool { return a.MatchTaint(&b) && a.Value == b.Value }
