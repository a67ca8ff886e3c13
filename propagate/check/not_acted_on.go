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
	Why: "A repository that was written for Karmada is accepted as it is, and what accord does not do is told. `failover`, and the `tolerationSeconds` of a " +
		"toleration, would move workloads when a cluster is not reachable: here that is a commit. All objects are planned at once, so " +
		"`schedulePriority` has no queue to order. Nobody can spread by label (`spreadByLabel`), and such an object is not placed. The tolerations that " +
		"Karmada adds to every policy are not told.",
	Fix: "Remove what is not meant to have an effect. To move workloads away from a cluster, change the placement.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  failover:
    cluster: {purgeMode: Gracefully}`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			for _, field := range unacted(p) {
				found = append(found, at(p.At(field), "", "%s: %s is not acted on", p.Title(), field))
			}
		}
		for i := range r.in.TaintPolicies {
			t := &r.in.TaintPolicies[i]
			for j, taint := range t.Spec.Taints {
				if taint.Effect == corev1.TaintEffectNoExecute {
					found = append(found, at(t.At(fmt.Sprintf("spec.taints[%d].effect", j)), "",
						"%s: NoExecute evicts nothing; it keeps new objects away, as NoSchedule does", t.Title()))
				}
			}
		}
		for _, o := range r.objects {
			if o.ID.Group != v1alpha1.GroupVersion.Group && configures(o.ID.Group) {
				found = append(found, at(o.Origin, "", "%s: this kind is not acted on", o.ID))
			}
		}
		return found
	},
}

// unacted are the fields of a policy that are set and have no effect. What has none by design is not among them.
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

// addedByKarmada says whether a toleration is one of the two that Karmada's webhook adds to every policy (Karmada §5.1).
func addedByKarmada(t corev1.Toleration) bool {
	return t.Key == "cluster.karmada.io/not-ready" || t.Key == "cluster.karmada.io/unreachable"
}
