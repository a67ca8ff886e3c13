package propagate

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Recall is what a FederatedObject remembers of its decision: what a plan wrote there, the next one has as Previous.
func Recall(s v1alpha1.FederatedObjectSpec) Previous {
	return Previous{
		ID: s.Template.ID(), Template: s.TemplateDigest, Term: s.Affinity, Rebalanced: s.Rebalanced,
		Overwrite: s.Overwrite, Preserve: s.Preserve, Dependencies: s.Dependencies, Clusters: recallClusters(s),
	}
}

// recallClusters are those that its own policy chose, or, while no cluster fits, had chosen.
func recallClusters(s v1alpha1.FederatedObjectSpec) []PreviousCluster {
	var all []PreviousCluster
	for _, l := range s.Last {
		for _, c := range l.Clusters {
			all = append(all, PreviousCluster{Name: c, Replicas: l.Replicas, Completions: l.Completions, Held: l.Held})
		}
	}
	if len(s.Last) > 0 {
		return sortClusters(all)
	}
	for _, v := range s.Variants {
		for _, c := range v.Clusters {
			if !slices.ContainsFunc(s.RequiredBy, func(r v1alpha1.Requirement) bool { return slices.Contains(r.Clusters, c) }) {
				all = append(all, PreviousCluster{
					Name: c, Replicas: v.Replicas, Completions: v.Completions, Held: slices.Contains(s.Held, c),
				})
			}
		}
	}
	return sortClusters(all)
}

func sortClusters(all []PreviousCluster) []PreviousCluster {
	slices.SortFunc(all, func(a, b PreviousCluster) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
