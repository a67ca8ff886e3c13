package reconciler

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// taint takes note of the taints that every cluster is to have as ClusterTaintPolicies decided, and has the Clusters told.
// They stay until a policy removes them (Karmada §1.7), so they are written down.
func (p *prober) taint(all map[string][]corev1.Taint) {
	var changed []string
	p.mu.Lock()
	for cluster, taints := range all {
		if before, decided := p.tainted[cluster]; !decided || !slices.EqualFunc(before, taints, sameTaint) {
			p.tainted[cluster] = taints
			changed = append(changed, cluster)
		}
	}
	p.mu.Unlock()
	for _, cluster := range changed {
		p.wake(cluster)
	}
}

// addedTaints are those of wanted that are not declared, with the times of those that were there before. One that evicts
// gets the time at which it came (Karmada §1.8).
func addedTaints(wanted, declared, before []corev1.Taint, now time.Time) []corev1.Taint {
	var added []corev1.Taint
	for _, t := range wanted {
		same := func(other corev1.Taint) bool { return sameTaint(t, other) }
		if slices.ContainsFunc(declared, same) {
			continue
		}
		t.TimeAdded = nil
		if i := slices.IndexFunc(before, same); i >= 0 {
			t.TimeAdded = before[i].TimeAdded
		} else if t.Effect == corev1.TaintEffectNoExecute {
			t.TimeAdded = &metav1.Time{Time: now.UTC().Truncate(time.Second)}
		}
		added = append(added, t)
	}
	return added
}

// sameTaint compares two taints without their times.
func sameTaint(a, b corev1.Taint) bool { return a.MatchTaint(&b) && a.Value == b.Value }
