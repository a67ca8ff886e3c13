// Package affinities finds the cluster affinities in all kinds of policies.
package affinities

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

// Affinity is one ClusterAffinity of any policy, with its field.
type Affinity struct {
	Meta  policy.Meta
	Title string
	Field string
	policy.ClusterAffinity
}

// Empty reports whether it selects every cluster.
func (a Affinity) Empty() bool {
	return len(a.ClusterNames) == 0 && len(a.Exclude) == 0 &&
		(a.LabelSelector == nil || len(a.LabelSelector.MatchLabels) == 0 && len(a.LabelSelector.MatchExpressions) == 0) &&
		(a.FieldSelector == nil || len(a.FieldSelector.MatchExpressions) == 0)
}

// Weighs reports whether it belongs to a staticWeightList.
func (a Affinity) Weighs() bool { return strings.HasPrefix(a.Field, StaticWeightList) }

// StaticWeightList is the field of the static weights of a policy.
const StaticWeightList = "spec.placement.replicaScheduling.weightPreference.staticWeightList"

// Each visits every ClusterAffinity of every policy.
func Each(in propagate.Input, visit func(Affinity)) {
	for _, p := range in.Policies {
		eachOfPolicy(p, visit)
	}
	for _, o := range in.Overrides {
		for j, rule := range o.Spec.OverrideRules {
			if rule.TargetCluster != nil {
				visit(Affinity{o.Meta, o.Title(), fmt.Sprintf("spec.overrideRules[%d].targetCluster", j), *rule.TargetCluster})
			}
		}
	}
	for i := range in.TaintPolicies {
		t := &in.TaintPolicies[i]
		if t.Spec.TargetClusters != nil {
			visit(Affinity{t.Meta, "ClusterTaintPolicy " + t.Name, "spec.targetClusters", *t.Spec.TargetClusters})
		}
	}
}

func eachOfPolicy(p *policy.Policy, visit func(Affinity)) {
	to := func(field string, a policy.ClusterAffinity) { visit(Affinity{p.Meta, p.Title(), field, a}) }
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
	for i, w := range Weights(p) {
		to(fmt.Sprintf("%s[%d].targetCluster", StaticWeightList, i), w.TargetCluster)
	}
}

// Weights returns the static weights of a policy.
func Weights(p *policy.Policy) []policy.StaticWeight {
	if s := p.Spec.Placement.ReplicaScheduling; s != nil && s.WeightPreference != nil {
		return s.WeightPreference.StaticWeightList
	}
	return nil
}
