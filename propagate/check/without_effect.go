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
	Summary:  "a field that has no effect, because another one decides or by design",
	Why: "A selector with a `name` does not look at its `labelSelector` (Karmada §2.1). `dynamicWeight` puts `staticWeightList` aside, `Aggregated` all weights, and " +
		"`Duplicated` all that is about division. In Karmada a policy keeps what it claimed first, and `preemption` takes it away; here all policies " +
		"compete for every object each time, so there is nobody to take an object from. A WorkloadRebalancer in Git stays until it is taken out, whatever " +
		"`ttlSecondsAfterFinished` says. To suspend a cluster holds nothing back when nothing goes there.",
	Fix: "Remove the field that has no effect, or the one that decides.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors:
  - {apiVersion: apps/v1, kind: Deployment, name: web, labelSelector: {matchLabels: {tier: gold}}}   # takes web without the label, too`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		r.eachSelectors(func(m policy.Meta, title string, selectors []policy.ResourceSelector) {
			for i, s := range selectors {
				if s.Name != "" && s.LabelSelector != nil {
					found = append(found, idleField(m, title, fmt.Sprintf("spec.resourceSelectors[%d].labelSelector", i), "the selector has a name, which decides alone"))
				}
			}
		})
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			if p.Spec.Preemption == policy.Always {
				found = append(found, idleField(p.Meta, p.Title(), "spec.preemption",
					"all policies compete for every object each time, so there is nobody to take it from"))
			}
			if field, why := idleDivision(p.Spec.Placement.ReplicaScheduling); field != "" {
				found = append(found, idleField(p.Meta, p.Title(), "spec.placement.replicaScheduling."+field, why))
			}
			found = append(found, r.idleSuspension(p)...)
		}
		for i := range r.in.Rebalancers {
			if b := &r.in.Rebalancers[i]; b.Spec.TTLSecondsAfterFinished != nil {
				found = append(found, idleField(b.Meta, b.Title(), "spec.ttlSecondsAfterFinished", "what is in Git stays until it is taken out"))
			}
		}
		return found
	},
}

func idleField(m policy.Meta, title, field, why string) propagate.Finding {
	return at(m.At(field), "remove "+field, "%s: %s has no effect: %s", title, field, why)
}

// idleSuspension is about suspended clusters to which nothing of the policy goes.
func (r *Review) idleSuspension(p *policy.Policy) []propagate.Finding {
	s, won := p.Spec.Suspension, r.claim(p).won
	if s == nil || s.DispatchingOnClusters == nil || len(won) == 0 {
		return nil
	}
	var found []propagate.Finding
	for i, name := range s.DispatchingOnClusters.ClusterNames {
		goes := func(o *object) bool {
			return slices.ContainsFunc(o.Chosen, func(c propagate.Choice) bool { return c.Cluster == name })
		}
		if r.known[name] && !slices.ContainsFunc(won, goes) {
			found = append(found, idleField(p.Meta, p.Title(), fmt.Sprintf("spec.suspension.dispatchingOnClusters.clusterNames[%d]", i),
				fmt.Sprintf("nothing of the policy goes to %s", name)))
		}
	}
	return found
}

// idleDivision is the field of a division that another one puts aside (Karmada §1.3); empty when there is none.
func idleDivision(s *policy.ReplicaScheduling) (field, why string) {
	switch {
	case s == nil || s.WeightPreference == nil:
		return "", ""
	case s.ReplicaSchedulingType == policy.Duplicated:
		return "weightPreference", "replicas are copied, not divided"
	case s.ReplicaDivisionPreference == policy.Aggregated:
		return "weightPreference", "Aggregated fills clusters by their room"
	case s.WeightPreference.DynamicWeight != "" && len(s.WeightPreference.StaticWeightList) > 0:
		return "weightPreference.staticWeightList", "dynamicWeight decides alone"
	}
	return "", ""
}
