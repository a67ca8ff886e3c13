package unacted

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Taint returns the field of a taint of a ClusterTaintPolicy without its effect in Karmada, and what accord does in place of it. The
// field is empty for a taint that accord acts on. failover is set if the Federation enables failover.
func Taint(t policy.PolicyTaint, failover bool) (field, instead string) {
	switch {
	case t.Key == v1alpha1.TaintNotReady, t.Key == v1alpha1.TaintUnreachable:
		return "key", fmt.Sprintf("accord itself adds and removes the taint %s, and ignores the policy for it", t.Key)
	case t.Effect == corev1.TaintEffectNoExecute && !failover:
		return "effect", "NoExecute evicts nothing, because " + disabled + "; like NoSchedule, it only keeps new objects away"
	}
	return "", ""
}
