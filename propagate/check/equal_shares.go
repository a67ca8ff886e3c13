package check

import (
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/affinities"
)

var equalShares = Check{
	Code:     "equal-shares",
	Severity: propagate.Warning,
	Summary:  "static weights that match no cluster of the placement, so that all clusters get equal shares",
	Why: "If no entry of `staticWeightList` matches a cluster that fits, all clusters have the same weight (Karmada §4.7). The list " +
		"suggests a different division.",
	Fix: "Correct `targetCluster` of the entries. For equal shares remove `weightPreference`.",
	Example: `
placement:
  clusterAffinity: {clusterNames: [eu, us]}
  replicaScheduling:
    replicaSchedulingType: Divided
    weightPreference:
      staticWeightList: [{targetCluster: {clusterNames: [europe]}, weight: 3}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			if fit := r.placeable(p); weighsByList(p) && len(fit) > 0 && len(largest(p, fit)) == 0 {
				findings = append(findings, at(p.At(affinities.StaticWeightList), "correct targetCluster of the entries",
					"%s: no entry of staticWeightList matches a cluster of the placement, so all %d get equal shares", p.Title(), len(fit)))
			}
		}
		return findings
	},
}

// weighsByList reports whether a policy uses its static weights.
func weighsByList(p *policy.Policy) bool {
	return len(affinities.Weights(p)) > 0 && static(p.Spec.Placement.ReplicaScheduling)
}

// placeable returns the clusters that the affinities of a policy allow.
func (r *Review) placeable(p *policy.Policy) []fleet.Cluster {
	affinities := []policy.ClusterAffinity{{}}
	switch pl := p.Spec.Placement; {
	case pl.ClusterAffinity != nil:
		affinities[0] = *pl.ClusterAffinity
	case len(pl.ClusterAffinities) > 0:
		affinities = nil
		for _, term := range pl.ClusterAffinities {
			affinities = append(affinities, term.ClusterAffinity)
			for _, o := range term.OverflowAffinities {
				affinities = append(affinities, o.ClusterAffinity)
			}
		}
	}
	var fit []fleet.Cluster
	for _, c := range r.fleet {
		if slices.ContainsFunc(affinities, func(a policy.ClusterAffinity) bool { return matches(c, a) }) {
			fit = append(fit, c)
		}
	}
	return fit
}

func matches(c fleet.Cluster, a policy.ClusterAffinity) bool {
	ok, _, _ := c.Matches(a)
	return ok
}

// largest returns for each cluster with a matching weight the index of the one that counts: the largest.
func largest(p *policy.Policy, clusters []fleet.Cluster) map[string]int {
	counts := map[string]int{}
	list := affinities.Weights(p)
	for _, c := range clusters {
		for i, w := range list {
			if best, has := counts[c.Name]; matches(c, w.TargetCluster) && (!has || w.Weight > list[best].Weight) {
				counts[c.Name] = i
			}
		}
	}
	return counts
}
