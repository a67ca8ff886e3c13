package propagate

import (
	"github.com/accord-dev/accord/api/manifest"
)

// Previous is what was decided about one object the last time: the few numbers that a decision depends on and that are
// not in Git. Divisions by what clusters have room for are steady with it (Karmada §4.8), and so is the choice among
// clusterAffinities (Karmada §4.10).
type Previous struct {
	ID manifest.ID `json:"id"`
	// Template is the digest of the manifest that it was decided for; empty when it is not known.
	Template string `json:"template,omitempty"`
	// Claimed says that a policy claimed the object.
	Claimed bool `json:"claimed,omitempty"`
	// Term and Rebalanced are those of the Decision, and so are the three below.
	Term         string `json:"term,omitempty"`
	Rebalanced   string `json:"rebalanced,omitempty"`
	Overwrite    bool   `json:"overwrite,omitempty"`
	Preserve     bool   `json:"preserve,omitempty"`
	Dependencies bool   `json:"dependencies,omitempty"`
	// Clusters that its own policy chose; those it is on for another object's sake are not among them.
	Clusters []PreviousCluster `json:"clusters,omitempty"`
}

// PreviousCluster is one cluster that was chosen.
type PreviousCluster struct {
	Name        string `json:"name"`
	Replicas    *int32 `json:"replicas,omitempty"`
	Completions *int32 `json:"completions,omitempty"`
	Held        bool   `json:"held,omitempty"`
}
