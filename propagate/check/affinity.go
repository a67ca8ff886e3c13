package check

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/policy"
)

// affinity is one ClusterAffinity of any policy, with its field.
type affinity struct {
	meta  policy.Meta
	title string
	field string
	policy.ClusterAffinity
}

// empty reports whether it selects every cluster.
func (a affinity) empty() bool {
	return len(a.ClusterNames) == 0 && len(a.Exclude) == 0 &&
		(a.LabelSelector == nil || len(a.LabelSelector.MatchLabels) == 0 && len(a.LabelSelector.MatchExpressions) == 0) &&
		(a.FieldSelector == nil || len(a.FieldSelector.MatchExpressions) == 0)
}

// weighs reports whether it belongs to a staticWeightList.
func (a affinity) weighs() bool { return strings.HasPrefix(a.field, staticWeightList) }

const staticWeightList = "spec.placement.replicaScheduling.weightPreference.staticWeightList"

// eachAffinity visits every ClusterAffinity of every policy.
func (r *Review) eachAffinity(visit func(affinity)) {
	for i := range r.in.Policies {
		eachOfPolicy(&r.in.Policies[i], visit)
	}
	for i := range r.in.Overrides {
		o := &r.in.Overrides[i]
		for j, rule := range o.Spec.OverrideRules {
			if rule.TargetCluster != nil {
				visit(affinity{o.Meta, o.Title(), fmt.Sprintf("spec.overrideRules[%d].targetCluster", j), *rule.TargetCluster})
			}
		}
	}
	for i := range r.in.TaintPolicies {
		t := &r.in.TaintPolicies[i]
		if t.Spec.TargetClusters != nil {
			visit(affinity{t.Meta, "ClusterTaintPolicy " + t.Name, "spec.targetClusters", *t.Spec.TargetClusters})
		}
	}
}

func eachOfPolicy(p *policy.Policy, visit func(affinity)) {
	to := func(field string, a policy.ClusterAffinity) { visit(affinity{p.Meta, p.Title(), field, a}) }
	placement := p.Spec.Placement
	if placement.ClusterAffinity != nil {
		to("spec.placement.clusterAffinity", *placement.ClusterAffinity)
	}
	for i, term := range placement.ClusterAffinities {
		field := fmt.Sprintf("spec.placement.clusterAffinities[%d]", i)
		to(field, term.ClusterAffinity)
		for j, o := range term.OverflowAffinities {
			to(fmt.Sprintf("%s.overflowAffinities[%d]", field, j), o.ClusterAffinity)
		}
	}
	for i, w := range weights(p) {
		to(fmt.Sprintf("%s[%d].targetCluster", staticWeightList, i), w.TargetCluster)
	}
}

// weights returns the static weights of a policy.
func weights(p *policy.Policy) []policy.StaticWeight {
	if s := p.Spec.Placement.ReplicaScheduling; s != nil && s.WeightPreference != nil {
		return s.WeightPreference.StaticWeightList
	}
	return nil
}
