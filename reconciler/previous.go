package reconciler

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// previous is what was decided the last time: by the plan in force or, after a restart, by the process before this one.
func (f *federation) previous() []propagate.Previous {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan != nil {
		return f.plan.Previous()
	}
	all := make([]propagate.Previous, 0, len(f.objects))
	for id, o := range f.objects {
		all = append(all, recalled(id, o.Spec))
	}
	return all
}

// recalled is what a FederatedObject remembers of its decision.
func recalled(id manifest.ID, s v1alpha1.FederatedObjectSpec) propagate.Previous {
	return propagate.Previous{
		ID: id, Template: s.TemplateDigest, Term: s.Affinity, Rebalanced: s.Rebalanced,
		Overwrite: s.Overwrite, Preserve: s.Preserve, Dependencies: s.Dependencies, Clusters: recalledClusters(s),
	}
}

// recalledClusters are those that its own policy chose, or, while no cluster fits, had chosen.
func recalledClusters(s v1alpha1.FederatedObjectSpec) []propagate.PreviousCluster {
	var all []propagate.PreviousCluster
	if len(s.Last) > 0 {
		for _, l := range s.Last {
			for _, c := range l.Clusters {
				all = append(all, propagate.PreviousCluster{Name: c, Replicas: l.Replicas, Completions: l.Completions, Held: l.Held})
			}
		}
	} else {
		for _, v := range s.Variants {
			for _, c := range v.Clusters {
				if !slices.ContainsFunc(s.RequiredBy, func(r v1alpha1.Requirement) bool { return slices.Contains(r.Clusters, c) }) {
					all = append(all, propagate.PreviousCluster{
						Name: c, Replicas: v.Replicas, Completions: v.Completions, Held: slices.Contains(s.Held, c),
					})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b propagate.PreviousCluster) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// lastChoices are the clusters of a decision grouped by what they get, in a stable order.
func lastChoices(clusters []propagate.PreviousCluster) []v1alpha1.LastChoice {
	var all []v1alpha1.LastChoice
	for _, c := range clusters {
		i := slices.IndexFunc(all, func(l v1alpha1.LastChoice) bool {
			return equal(l.Replicas, c.Replicas) && equal(l.Completions, c.Completions) && l.Held == c.Held
		})
		if i < 0 {
			i = len(all)
			all = append(all, v1alpha1.LastChoice{Replicas: c.Replicas, Completions: c.Completions, Held: c.Held})
		}
		all[i].Clusters = append(all[i].Clusters, c.Name)
	}
	return all
}
