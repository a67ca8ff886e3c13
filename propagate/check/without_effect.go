package check

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var withoutEffect = Check{
	Code:     "without-effect",
	Severity: propagate.Note,
	Summary:  "a field without effect, because another field overrides it or by design",
	Why: "A selector with a `name` ignores its `labelSelector` (Karmada §2.1). `dynamicWeight` overrides `staticWeightList`, " +
		"`Aggregated` overrides all weights, and `Duplicated` overrides all fields of the division. In Karmada a policy keeps the " +
		"objects it claimed first, and `preemption` takes them over; in accord all policies compete for every object in every plan. " +
		"A WorkloadRebalancer in Git stays until you remove it, whatever its `ttlSecondsAfterFinished`. Suspending a cluster has no " +
		"effect if the policy places nothing there.",
	Fix: "Remove the field without effect, or the one that overrides it.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment, name: web, labelSelector: {matchLabels: {tier: gold}}}   # takes web without the label, too`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		r.eachSelectors(func(m policy.Meta, title string, selectors []policy.ResourceSelector) {
			for i, s := range selectors {
				if s.Name != "" && s.LabelSelector != nil {
					findings = append(findings, idleField(m, title, fmt.Sprintf("spec.resourceSelectors[%d].labelSelector", i), "the selector has a name, which overrides labels"))
				}
			}
		})
		for _, p := range r.in.Policies {
			if p.Spec.Preemption == policy.Always {
				findings = append(findings, idleField(p.Meta, p.Title(), "spec.preemption",
					"all policies compete for every object in every plan"))
			}
			if field, why := idleDivision(p.Spec.Placement.ReplicaScheduling); field != "" {
				findings = append(findings, idleField(p.Meta, p.Title(), "spec.placement.replicaScheduling."+field, why))
			}
			findings = append(findings, r.idleSuspension(p)...)
		}
		for i := range r.in.Rebalancers {
			if b := &r.in.Rebalancers[i]; b.Spec.TTLSecondsAfterFinished != nil {
				findings = append(findings, idleField(b.Meta, b.Title(), "spec.ttlSecondsAfterFinished", "an object in Git stays until a commit removes it"))
			}
		}
		return findings
	},
}

func idleField(m policy.Meta, title, field, why string) propagate.Finding {
	return at(m.At(field), "remove "+field, "%s: %s has no effect: %s", title, field, why)
}

// idleSuspension returns findings about suspended clusters without an object of the policy.
func (r *Review) idleSuspension(p *policy.Policy) []propagate.Finding {
	s, won := p.Spec.Suspension, r.won()[p.Title()]
	if s == nil || s.DispatchingOnClusters == nil || len(won) == 0 {
		return nil
	}
	var findings []propagate.Finding
	for i, name := range s.DispatchingOnClusters.ClusterNames {
		goes := func(o *object) bool { return o.On(name) }
		if r.known[name] && !slices.ContainsFunc(won, goes) {
			findings = append(findings, idleField(p.Meta, p.Title(), fmt.Sprintf("spec.suspension.dispatchingOnClusters.clusterNames[%d]", i),
				fmt.Sprintf("the policy places nothing on %s", name)))
		}
	}
	return findings
}

// idleDivision returns the field of a division that another one overrides (Karmada §1.3); empty when there is none.
func idleDivision(s *policy.ReplicaScheduling) (field, why string) {
	switch {
	case s == nil || s.WeightPreference == nil:
		return "", ""
	case s.ReplicaSchedulingType == policy.Duplicated:
		return "weightPreference", "replicas are copied, not divided"
	case s.ReplicaDivisionPreference == policy.Aggregated:
		return "weightPreference", "Aggregated fills clusters by their free capacity"
	case s.WeightPreference.DynamicWeight != "" && len(s.WeightPreference.StaticWeightList) > 0:
		return "weightPreference.staticWeightList", "dynamicWeight overrides it"
	}
	return "", ""
}
