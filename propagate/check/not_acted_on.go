package check

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

var notActedOn = Check{
	Code:     "not-acted-on",
	Severity: propagate.Note,
	Summary:  "a field or a kind that is accepted and has no effect in this version",
	Why: "accord accepts repositories written for Karmada and reports the parts without effect. `failover`, and the " +
		"`tolerationSeconds` of a toleration, would move workloads away from an unreachable cluster; in accord you commit such a " +
		"change. accord plans all objects at once, so `schedulePriority` has no queue to order. Spreading by label " +
		"(`spreadByLabel`) is not supported, and accord does not place such an object. accord does not report the tolerations that " +
		"Karmada adds to every policy.",
	Fix: "Remove fields that should have no effect. To move workloads away from a cluster, change the placement.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  failover:
    cluster: {purgeMode: Gracefully}`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			for _, field := range unacted(p) {
				findings = append(findings, at(p.At(field), "", "%s: %s is not acted on", p.Title(), field))
			}
		}
		for i := range r.in.TaintPolicies {
			t := &r.in.TaintPolicies[i]
			for j, taint := range t.Spec.Taints {
				if taint.Effect == corev1.TaintEffectNoExecute {
					findings = append(findings, at(t.At(fmt.Sprintf("spec.taints[%d].effect", j)), "",
						"%s: NoExecute evicts nothing; like NoSchedule, it only keeps new objects away", t.Title()))
				}
			}
		}
		for _, o := range r.objects {
			if o.ID.Group != v1alpha1.GroupVersion.Group && configures(o.ID.Group) {
				findings = append(findings, at(o.Origin, "", "%s: this kind is not acted on", o.ID))
			}
		}
		return findings
	},
}

// unacted returns the fields of a policy that are set and have no effect, except fields without effect by design.
func unacted(p *policy.Policy) []string {
	var fields []string
	if p.Spec.Failover != nil {
		fields = append(fields, "spec.failover")
	}
	if p.Spec.SchedulePriority != nil {
		fields = append(fields, "spec.schedulePriority")
	}
	for i, t := range p.Spec.Placement.ClusterTolerations {
		if t.TolerationSeconds != nil && !addedByKarmada(t) {
			fields = append(fields, fmt.Sprintf("spec.placement.clusterTolerations[%d].tolerationSeconds", i))
		}
	}
	for i, s := range p.Spec.Placement.SpreadConstraints {
		if s.SpreadByLabel != "" {
			fields = append(fields, fmt.Sprintf("spec.placement.spreadConstraints[%d].spreadByLabel", i))
		}
	}
	return fields
}

// addedByKarmada reports whether a toleration is one of the two that Karmada's webhook adds to every policy (Karmada
// §5.1).
func addedByKarmada(t corev1.Toleration) bool {
	return t.Key == "cluster.karmada.io/not-ready" || t.Key == "cluster.karmada.io/unreachable"
}
