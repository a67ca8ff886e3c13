package taint

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Timed returns declared taints with the time of their addition where they evict (Karmada 1.8): that of the same taint before, or now. A
// time that is declared stays.
func Timed(taints, before []corev1.Taint, now time.Time) []corev1.Taint {
	all := slices.Clone(taints)
	for i, t := range all {
		if t.Effect != corev1.TaintEffectNoExecute || t.TimeAdded != nil {
			continue
		}
		all[i].TimeAdded = &metav1.Time{Time: now.UTC().Truncate(time.Second)}
		for _, b := range before {
			if b.TimeAdded != nil && t.MatchTaint(&b) && t.Value == b.Value {
				all[i].TimeAdded = b.TimeAdded
			}
		}
	}
	return all
}
