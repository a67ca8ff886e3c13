package propagate

import (
	"cmp"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/place"
)

// Previous is the earlier decision about one object: the values that the next decision depends on and that Git does not
// have. With it, divisions by free capacity are stable (Karmada §4.8), and so is the choice among clusterAffinities
// (Karmada §4.10).
type Previous struct {
	ID manifest.ID `json:"id"`
	// Template is the digest of the manifest that the decision was about; empty when unknown.
	Template string `json:"template,omitempty"`
	// Term, Rebalanced and the three options below are those of the Decision.
	Term         string `json:"term,omitempty"`
	Rebalanced   string `json:"rebalanced,omitempty"`
	Overwrite    bool   `json:"overwrite,omitempty"`
	Preserve     bool   `json:"preserve,omitempty"`
	Dependencies bool   `json:"dependencies,omitempty"`
	// Clusters that its own policy chose, sorted by name, without those where it is only a dependency.
	Clusters []PreviousCluster `json:"clusters,omitempty"`
}

// PreviousCluster is one chosen cluster.
type PreviousCluster struct {
	Name        string `json:"name"`
	Replicas    *int32 `json:"replicas,omitempty"`
	Completions *int32 `json:"completions,omitempty"`
	Held        bool   `json:"held,omitempty"`
}

// outcome has the answer of Previous, made once.
type outcome struct {
	once sync.Once
	made atomic.Bool
	list []*Previous // parallel to the decisions
	// unsettled are the objects whose previous decision was another one. The next plan decides about them again.
	unsettled []int // slots
}

// Previous returns the decisions for Input.Previous of the next plan, which makes that plan stable. An object that no
// cluster fits keeps its previous clusters, because its live objects are kept. The caller must not change the result: Next
// recognizes it.
func (p *Plan) Previous() []*Previous {
	p.outcome.once.Do(func() {
		p.outcome.list = make([]*Previous, len(p.Decisions))
		for slot := range p.Decisions {
			p.settle(slot)
		}
		p.outcome.made.Store(true)
	})
	return p.outcome.list
}

// settle sets the outcome of one object.
func (p *Plan) settle(slot int) {
	it := p.items.slots[slot]
	now := it.outcome()
	if it.previous != nil && reflect.DeepEqual(*it.previous, now) {
		p.outcome.list[slot] = it.previous
		return
	}
	p.outcome.list[slot], p.outcome.unsettled = &now, append(p.outcome.unsettled, slot)
}

// outcome returns the decision for Input.Previous of the next plan.
func (it *item) outcome() Previous {
	d := it.decision
	now := Previous{
		ID: d.ID, Template: d.Template, Term: d.Term, Rebalanced: d.Rebalanced,
		Overwrite: d.Overwrite, Preserve: d.Preserve, Dependencies: d.Dependencies,
	}
	if d.Unplaced() {
		now.Term, now.Clusters = it.last().Term, it.last().Clusters
		return now
	}
	now.Clusters = d.ownClusters()
	return now
}

// ownClusters returns the clusters that its own policy chose; nil for none.
func (d *Decision) ownClusters() []PreviousCluster {
	own := make([]PreviousCluster, 0, len(d.Chosen))
	for _, c := range d.Chosen {
		if c.RequiredBy == nil && !c.Implied {
			own = append(own, PreviousCluster{c.Cluster, c.Replicas, c.Completions, c.Held != ""})
		}
	}
	if len(own) == 0 {
		return nil
	}
	return own
}

// on returns the set of chosen clusters.
func (b Previous) on() map[string]bool {
	on := make(map[string]bool, len(b.Clusters))
	for _, c := range b.Clusters {
		on[c.Name] = true
	}
	return on
}

// replicas returns the count of each cluster.
func (b Previous) replicas() map[string]int32 {
	replicas := make(map[string]int32, len(b.Clusters))
	for _, c := range b.Clusters {
		if c.Replicas != nil {
			replicas[c.Name] = *c.Replicas
		}
	}
	return replicas
}

// restorePrevious chooses the previous clusters that still exist; why is the reason for refusing the others.
func (p *Plan) restorePrevious(it *item, d *Decision, why string, at manifest.Origin, reason place.Reason, hold func(PreviousCluster) string) {
	before := it.last()
	d.Chosen = nil
	for _, c := range before.Clusters {
		if _, there := p.members.index[c.Name]; there {
			d.Chosen = append(d.Chosen, Choice{Cluster: c.Name, Replicas: c.Replicas, Completions: c.Completions, Held: hold(c)})
		}
	}
	d.Refused = p.members.refuseRest(d.Chosen, d.Refused, why, at, reason)
	d.Term = before.Term
}

// PreviousFrom returns the decision that a FederatedObject records: a plan wrote it there, and the next plan has it as
// Previous.
func PreviousFrom(s v1alpha1.FederatedObjectSpec) *Previous {
	return &Previous{
		ID: s.Template.ID(), Template: s.TemplateDigest, Term: s.Affinity, Rebalanced: s.LastRebalancer,
		Overwrite: s.Overwrite, Preserve: s.Preserve, Dependencies: s.Dependencies, Clusters: previousClusters(s),
	}
}

// previousClusters returns the clusters that its own policy chose, or, while no cluster fits, had chosen.
func previousClusters(s v1alpha1.FederatedObjectSpec) []PreviousCluster {
	var all []PreviousCluster
	for _, l := range s.PreviousPlacement {
		for _, c := range l.Clusters {
			all = append(all, PreviousCluster{Name: c, Replicas: l.Replicas, Completions: l.Completions, Held: l.Held})
		}
	}
	if len(s.PreviousPlacement) > 0 {
		return sortClusters(all)
	}
	for _, v := range s.Results {
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
