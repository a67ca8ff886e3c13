package propagate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/place"
	"github.com/accord-dev/accord/propagate/rebalance"
	"github.com/accord-dev/accord/propagate/scope"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/render/override"
	"github.com/accord-dev/accord/status/kind"
)

// Clusters returns the names of the whole fleet, sorted.
func (p *Plan) Clusters() []string { return p.members.Names() }

// Fleet returns all clusters, sorted by name, with the taints after ClusterTaintPolicies. The caller must not change
// it.
func (p *Plan) Fleet() []fleet.Cluster { return p.members.All }

// Taints returns the taints of every cluster: those of the Cluster, after ClusterTaintPolicies added and removed theirs
// (Karmada §1.7).
func (p *Plan) Taints() map[string][]corev1.Taint { return p.members.Taints() }

// Decision returns the decision about an object in Git; nil when Git has no such object. The caller must not change it.
func (p *Plan) Decision(id manifest.ID) *decision.Decision {
	if it, known := p.items.get(id); known && it.decision.Origin != (manifest.Origin{}) {
		return it.decision
	}
	return nil
}

// Evictions returns the evictions of the input. The caller must not change them.
func (p *Plan) Evictions() map[manifest.ID][]v1alpha1.GracefulEvictionTask { return p.evictions }

// Scopes returns which kinds have a namespace, as the plan sees it.
func (p *Plan) Scopes() scope.Kinds { return p.scopes }

// Manifest returns an object in Git with its namespace set; nil when there is none.
func (p *Plan) Manifest(id manifest.ID) *manifest.Packed {
	if it, known := p.items.get(id); known {
		return it.manifest
	}
	return nil
}

// TakesOver reports whether the object of the decision at a position takes over an existing object of another owner.
func (p *Plan) TakesOver(position int) bool { return p.items.inGit[position].overwrite }

// Kind returns accord's knowledge of a kind, with the customizations of users.
func (p *Plan) Kind(gk schema.GroupKind) kind.Kind { return p.rules.interpreters.Book.Of(gk) }

// Interpreters returns the customizations of users; the zero value when there are none.
func (p *Plan) Interpreters() scripts.Interpreters { return p.rules.interpreters }

// NeedsRoom reports whether a decision depended on the free capacity of clusters.
func (p *Plan) NeedsRoom() bool { return p.needsRoom }

// Unjudged reports whether a policy claims an object, and its clusters cannot be known: there is no cluster, or the policy
// places by free resources and those of a cluster are unknown. A Namespace without a policy is unjudged as one of its
// objects is.
func (p *Plan) Unjudged(d *decision.Decision) bool {
	switch {
	case len(d.Chosen) > 0:
		return false
	case d.Policy == nil:
		return d.ID.GroupKind() == namespaceKind && slices.ContainsFunc(p.Decisions, func(in *decision.Decision) bool {
			return in.ID.Namespace == d.ID.Name && in.Policy != nil && p.Unjudged(in)
		})
	case len(p.members.All) == 0:
		return true
	}
	return slices.ContainsFunc(d.Refused, p.roomUnknown)
}

// roomUnknown reports whether a cluster was refused for too little room, and its resources are unknown.
func (p *Plan) roomUnknown(r decision.Refusal) bool {
	switch r.Reason {
	case place.NoRoom, place.AllFull, place.MaxFull:
		return p.members.All[p.members.Index[r.Cluster]].Resources == nil
	}
	return false
}

// PoliciesSelecting returns all policies that select an object, the winner first (Karmada §2.2).
func (p *Plan) PoliciesSelecting(id manifest.ID) []*policy.Policy {
	it, known := p.items.get(id)
	if !known {
		return nil
	}
	return p.rules.claims.Selecting(id, it.manifest)
}

// PlacedOn reports whether an object goes to a cluster, a Namespace that accord creates for its objects included.
func (p *Plan) PlacedOn(cluster string, id manifest.ID) bool {
	it, known := p.items.get(id)
	return known && it.decision.On(cluster)
}

// Trace returns the effect of each overrider on an object on one of its clusters, in order; see override.Trace. It
// returns nil when the object does not go there.
func (p *Plan) Trace(id manifest.ID, cluster string) ([]override.Step, error) {
	it, known := p.items.get(id)
	if !known {
		return nil, nil
	}
	d := it.decision
	i := slices.IndexFunc(d.Chosen, func(c decision.Choice) bool { return c.Cluster == cluster })
	if i < 0 {
		return nil, nil
	}
	u, err := p.template(assigned{it, &d.Chosen[i]})
	if err != nil {
		return nil, err
	}
	return p.rules.overrides.Trace(u, it.candidates, p.members.All[p.members.Index[cluster]])
}

// Dependents returns the objects that need this one as a dependency, sorted.
func (p *Plan) Dependents(id manifest.ID) []manifest.ID {
	return slices.SortedFunc(slices.Values(p.relations.dependents[id]), manifest.ID.Compare)
}

// Shares explains for each cluster of a divided object how its replicas came about, in a few words that follow the
// number; nil for an object without a count, or that no policy claims. It repeats the decision.
func (p *Plan) Shares(id manifest.ID) map[string]string {
	it, known := p.items.get(id)
	if !known || it.decision.Policy == nil || it.kind.Replicas == nil {
		return nil
	}
	d, shares := it.decision, map[string]string{}
	if d.PlacementRetained || d.Lazy {
		for _, c := range d.Chosen {
			shares[c.Cluster] = "kept from the previous plan"
		}
		return shares
	}
	_, fresh := rebalance.Since(p.rules.rebalancers[id], it.last().Rebalanced)
	term := max(0, slices.IndexFunc(d.Policy.Spec.Placement.ClusterAffinities, func(t policy.ClusterAffinityTerm) bool { return t.AffinityName == d.Term }))
	try := attempt{fresh: fresh}
	try.returning = p.tryTerm(it, term, try).failure != ""
	q := p.question(it, term, try)
	selection, err := q.Select(p.filter(it, q, try, &termResult{}))
	if err != nil {
		return nil
	}
	for i, phrase := range divide.Explain(p.request(it, q, selection.Chosen)) {
		shares[selection.Chosen[i].Cluster.Name] = phrase
	}
	return shares
}
