package check

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/affinities"
)

var idleWeight = Check{
	Code:     "idle-weight",
	Severity: propagate.Warning,
	Summary:  "a static weight without effect, or a cluster without a weight",
	Why: "If several entries match a cluster, the largest weight counts (Karmada §4.7). A cluster of the placement that no entry " +
		"matches gets no replicas; that finding is a note.",
	Fix: "Correct `targetCluster` of the entry, or remove the entry. Give every cluster of the placement a weight.",
	Example: `
staticWeightList:
- {targetCluster: {clusterNames: [eu]}, weight: 1}            # never counts
- {targetCluster: {labelSelector: {matchLabels: {region: eu}}}, weight: 2}`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			fit := r.placeable(p)
			if counts := largest(p, fit); weighsByList(p) && len(counts) > 0 { // else see equal-shares
				findings = append(append(findings, r.idleWeights(p, fit, counts)...), unweighed(p, fit, counts)...)
			}
		}
		return findings
	},
}

func (r *Review) idleWeights(p *policy.Policy, fit []fleet.Cluster, counts map[string]int) []propagate.Finding {
	var findings []propagate.Finding
	for i, w := range affinities.Weights(p) {
		field := fmt.Sprintf("%s[%d]", affinities.StaticWeightList, i)
		hit := slices.DeleteFunc(slices.Clone(fit), func(c fleet.Cluster) bool { return !matches(c, w.TargetCluster) })
		wins := func(c fleet.Cluster) bool { return counts[c.Name] == i }
		switch {
		case len(hit) > 0 && !slices.ContainsFunc(hit, wins):
			better := counts[hit[0].Name]
			if affinities.Weights(p)[better].Weight > w.Weight {
				findings = append(findings, at(p.At(field), "remove this entry, or the larger one",
					"%s: weight %d never counts: another entry has a larger weight for all of its clusters (%s)",
					p.Title(), w.Weight, p.At(fmt.Sprintf("%s[%d]", affinities.StaticWeightList, better))))
			}
		case len(hit) == 0 && slices.ContainsFunc(r.fleet, func(c fleet.Cluster) bool { return matches(c, w.TargetCluster) }):
			findings = append(findings, at(p.At(field), "remove the entry", "%s: weight %d is for clusters outside the placement", p.Title(), w.Weight))
		case len(hit) == 0 && !r.namesUnknownCluster(w.TargetCluster):
			findings = append(findings, at(p.At(field), "correct targetCluster, or remove the entry", "%s: weight %d matches no cluster of the fleet", p.Title(), w.Weight))
		}
	}
	return findings
}

// namesUnknownCluster reports whether the affinity names an unknown cluster; unknown-cluster reports it.
func (r *Review) namesUnknownCluster(a policy.ClusterAffinity) bool {
	return slices.ContainsFunc(a.ClusterNames, func(name string) bool { return !r.known[name] })
}

// unweighed reports clusters that fit and have no weight.
func unweighed(p *policy.Policy, fit []fleet.Cluster, counts map[string]int) []propagate.Finding {
	var names []string
	for _, c := range fit {
		if _, has := counts[c.Name]; !has {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 || p.Spec.Placement.ClusterAffinity == nil && len(p.Spec.Placement.ClusterAffinities) == 0 {
		return nil // the list may be the only selection of clusters
	}
	f := at(p.At(affinities.StaticWeightList), "add an entry for the cluster, or remove the cluster from the placement",
		"%s: the placement selects %s without a weight: no replicas go there", p.Title(), phrase.And(names, named))
	f.Severity = propagate.Note
	return []propagate.Finding{f}
}
