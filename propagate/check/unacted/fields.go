package unacted

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// disabled is the reason why the fields about failover have no effect.
const disabled = "the Federation does not enable failover (spec.failover.enabled)"

// Field is a field of a policy without effect.
type Field struct {
	Path string
	Why  string // ": <reason>", empty for a field that accord does not support
}

// Fields returns the fields of a policy that are set and have no effect, except fields without effect by design. failover is set if
// the Federation enables failover.
func Fields(p *policy.Policy, failover bool) []Field {
	var fields []Field
	if p.Spec.Failover != nil && !failover {
		fields = append(fields, Field{"spec.failover", ": " + disabled})
	}
	if p.Spec.SchedulePriority != nil {
		fields = append(fields, Field{Path: "spec.schedulePriority"})
	}
	for i, t := range p.Spec.Placement.ClusterTolerations {
		if why := unmoved(p, failover); t.TolerationSeconds != nil && !addedByKarmada(t) && why != "" {
			fields = append(fields, Field{fmt.Sprintf("spec.placement.clusterTolerations[%d].tolerationSeconds", i), ": " + why})
		}
	}
	for i, s := range p.Spec.Placement.SpreadConstraints {
		if s.SpreadByLabel != "" {
			fields = append(fields, Field{Path: fmt.Sprintf("spec.placement.spreadConstraints[%d].spreadByLabel", i)})
		}
	}
	return fields
}

// unmoved returns the reason why taints evict nothing of a policy; empty if they do.
func unmoved(p *policy.Policy, failover bool) string {
	switch {
	case !failover:
		return disabled
	case p.Spec.Failover == nil || p.Spec.Failover.Cluster == nil:
		return "the policy has no spec.failover.cluster"
	}
	return ""
}

// addedByKarmada reports whether a toleration is one of the two that Karmada's webhook adds to every policy (Karmada
// §5.1).
func addedByKarmada(t corev1.Toleration) bool {
	return t.Key == v1alpha1.TaintNotReady || t.Key == v1alpha1.TaintUnreachable
}
