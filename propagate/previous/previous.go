// Package previous has the earlier decisions that the next plan depends on and that Git does not have.
package previous

import (
	"cmp"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Decision is the earlier decision about one object: the values that the next decision depends on and that Git does not
// have. With it, divisions by free capacity are stable (Karmada §4.8), and so is the choice among clusterAffinities
// (Karmada §4.10).
type Decision struct {
	ID manifest.ID `json:"id"`
	// Template is the digest of the manifest that the decision was about; empty when unknown.
	Template string `json:"template,omitempty"`
	// Term, Rebalanced, Descheduled and the three options below are those of the Decision.
	Term         string      `json:"term,omitempty"`
	Rebalanced   string      `json:"rebalanced,omitempty"`
	Descheduled  Descheduled `json:"descheduled,omitzero"`
	Overwrite    bool        `json:"overwrite,omitempty"`
	Preserve     bool        `json:"preserve,omitempty"`
	Dependencies bool        `json:"dependencies,omitempty"`
	// Clusters that its own policy chose, sorted by name, without those where it is only a dependency.
	Clusters []Cluster `json:"clusters,omitempty"`
}

// Cluster is one chosen cluster.
type Cluster struct {
	Name        string `json:"name"`
	Replicas    *int32 `json:"replicas,omitempty"`
	Completions *int32 `json:"completions,omitempty"`
	Held        bool   `json:"held,omitempty"`
}

// ShareClusters takes over the list of clusters of another decision, of which some may be nil, if it is the same.
func (d *Decision) ShareClusters(others ...*Decision) {
	for _, other := range others {
		if other != nil && len(d.Clusters) > 0 && slices.EqualFunc(other.Clusters, d.Clusters, Cluster.equal) {
			d.Clusters = other.Clusters
			return
		}
	}
}

// equal reports whether two clusters are chosen in the same way.
func (c Cluster) equal(other Cluster) bool {
	return c.Name == other.Name && c.Held == other.Held && ptr.Equal(c.Replicas, other.Replicas) && ptr.Equal(c.Completions, other.Completions)
}

// Descheduled is the memory of the descheduler about one object.
type Descheduled struct {
	// Moves describes the replicas that moved last; empty after another division.
	Moves string `json:"moves,omitempty"`
	// From are the clusters that could not schedule replicas, sorted by name. They get none back.
	From []v1alpha1.DescheduledCluster `json:"from,omitempty"`
}

// On returns the set of chosen clusters.
func (b Decision) On() map[string]bool {
	on := make(map[string]bool, len(b.Clusters))
	for _, c := range b.Clusters {
		on[c.Name] = true
	}
	return on
}

// Replicas returns the count of each cluster.
func (b Decision) Replicas() map[string]int32 {
	replicas := make(map[string]int32, len(b.Clusters))
	for _, c := range b.Clusters {
		if c.Replicas != nil {
			replicas[c.Name] = *c.Replicas
		}
	}
	return replicas
}

// From returns the decision that a FederatedObject records: a plan wrote it there, and the next plan has it as
// Previous.
func From(s v1alpha1.FederatedObjectSpec) *Decision {
	return &Decision{
		ID: s.Template.ID(), Template: s.TemplateDigest, Term: s.Affinity, Rebalanced: s.LastRebalancer, Descheduled: Descheduled{s.LastDescheduled, s.DescheduledFrom},
		Overwrite: s.Overwrite, Preserve: s.Preserve, Dependencies: s.Dependencies, Clusters: clustersOf(s),
	}
}

// clustersOf returns the clusters that its own policy chose, or, while no cluster fits, had chosen.
func clustersOf(s v1alpha1.FederatedObjectSpec) []Cluster {
	var all []Cluster
	for _, l := range s.PreviousPlacement {
		for _, c := range l.Clusters {
			all = append(all, Cluster{Name: c, Replicas: l.Replicas, Completions: l.Completions, Held: l.Held})
		}
	}
	if len(s.PreviousPlacement) > 0 {
		return sortClusters(all)
	}
	for _, v := range s.Results {
		for _, c := range v.Clusters {
			if !slices.ContainsFunc(s.RequiredBy, func(r v1alpha1.Requirement) bool { return slices.Contains(r.Clusters, c) }) {
				all = append(all, Cluster{
					Name: c, Replicas: v.Replicas, Completions: v.Completions, Held: slices.Contains(s.Held, c),
				})
			}
		}
	}
	return sortClusters(all)
}

func sortClusters(all []Cluster) []Cluster {
	slices.SortFunc(all, func(a, b Cluster) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
