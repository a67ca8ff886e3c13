package propagate

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/stage"
)

// Rollout is one RolloutPolicy and what of a plan moves by it, cluster by cluster.
type Rollout struct {
	Policy *policy.Rollout
	// Clusters that an object of it goes to, sorted.
	Clusters []string

	plan     *Plan
	clusters []rolloutCluster // parallel to plan.clusters
}

// rolloutCluster is made once.
type rolloutCluster struct {
	once         sync.Once
	items        []stage.Item
	dependencies []manifest.ID
	held         string
	digest       string
}

// rollouts is what a plan knows of its RolloutPolicies; nil without one.
type rollouts struct {
	claims    stage.Claims
	once      sync.Once
	byPolicy  map[*policy.Rollout]*Rollout
	all       []*Rollout                // sorted by Name
	claimedBy map[*item]*policy.Rollout // what claims each object, those left out that nothing does
}

func (p *Plan) newRollouts(policies []policy.Rollout) *rollouts {
	if len(policies) == 0 {
		return nil
	}
	policies = slices.Clone(policies) // the caller may sort its own
	r := &rollouts{claims: stage.NewClaims(policies), byPolicy: map[*policy.Rollout]*Rollout{}}
	for i := range policies {
		made := &Rollout{Policy: &policies[i], plan: p, clusters: make([]rolloutCluster, len(p.clusters))}
		r.byPolicy[made.Policy] = made
		r.all = append(r.all, made)
	}
	slices.SortFunc(r.all, func(a, b *Rollout) int { return cmp.Compare(a.Name(), b.Name()) })
	return r
}

// Name is "shop/web", or "standard" for a RolloutPolicy that is cluster-wide.
func (r *Rollout) Name() string { return r.Policy.String() }

// Course is who is in which stage. also are clusters from which something of the rollout is to be removed.
func (r *Rollout) Course(also ...string) stage.Course {
	return stage.Chart(r.Policy, r.plan.clusters, slices.Concat(r.Clusters, also))
}

// Digest is one digest for all objects of the rollout on a cluster (stage.Sum); empty when there is none. An object that
// cannot be rendered counts with its error. It renders what the cluster gets.
func (r *Rollout) Digest(cluster string) string {
	i, known := r.plan.index[cluster]
	if !known {
		return ""
	}
	return r.forCluster(i).digest
}

// Items are the objects that Wanted is about, in the order in which they are applied; what cannot be rendered comes last.
// Nobody may change them.
func (r *Rollout) Items(cluster string) []stage.Item {
	if i, known := r.plan.index[cluster]; known {
		return r.forCluster(i).items
	}
	return nil
}

// Dependencies are those of Items that are there for the sake of others only: the RolloutPolicy itself does not claim them.
func (r *Rollout) Dependencies(cluster string) []manifest.ID {
	if i, known := r.plan.index[cluster]; known {
		return r.forCluster(i).dependencies
	}
	return nil
}

// Held is why people hold objects of the rollout on a cluster, or all of it; empty when they do not.
func (r *Rollout) Held(cluster string) string {
	if i, known := r.plan.index[cluster]; known {
		return cmp.Or(r.plan.Hold(cluster), r.forCluster(i).held)
	}
	return ""
}

// forCluster is what the rollout wants of a cluster.
func (r *Rollout) forCluster(cluster int) *rolloutCluster {
	w := &r.clusters[cluster]
	w.once.Do(func() {
		target := r.plan.ForCluster(r.plan.clusters[cluster].Name)
		for _, o := range target.Objects {
			w.add(r, target.Cluster, stage.Item{ID: o.ID, Digest: o.Digest}, o.Held)
		}
		for _, f := range target.Failed {
			w.add(r, target.Cluster, stage.Item{ID: f.ID, Digest: "failed:" + f.Err.Error()}, f.Held)
		}
		w.digest = stage.Sum(w.items)
	})
	return w
}

func (w *rolloutCluster) add(r *Rollout, cluster string, item stage.Item, held string) {
	if r.plan.Rollout(cluster, item.ID, nil) != r {
		return
	}
	w.items, w.held = append(w.items, item), cmp.Or(w.held, held)
	if r.plan.rollouts.claimedBy[r.plan.byID[item.ID]] != r.Policy {
		w.dependencies = append(w.dependencies, item.ID)
	}
}

// Rollouts are all RolloutPolicies of the input, sorted by name; one that claims nothing has no Clusters. Nobody may
// change them.
func (p *Plan) Rollouts() []*Rollout {
	if p.rollouts == nil {
		return nil
	}
	p.assignRollouts()
	return p.rollouts.all
}

// Rollout is what an object moves by on a cluster, nil when it changes at once. On a cluster that it is on for the sake of
// others it moves with them (stage.Travels). Where it is not wanted, this is about its removal: of an object that left
// Git the labels of the live object have to do.
func (p *Plan) Rollout(cluster string, id manifest.ID, labels map[string]string) *Rollout {
	if p.rollouts == nil {
		return nil
	}
	p.assignRollouts()
	it, known := p.byID[id]
	if !known {
		return p.rollouts.byPolicy[p.rollouts.claims.Of(bareObject(id, labels))]
	}
	return p.rollouts.byPolicy[p.rolloutPolicy(it, cluster)]
}

// rolloutPolicy is the RolloutPolicy of an object on a cluster.
func (p *Plan) rolloutPolicy(it *item, cluster string) *policy.Rollout {
	moves := p.rollouts.claimedBy[it]
	if owners := p.dependents[it.decision.ID]; len(owners) > 0 {
		moves = stage.Travels(moves, p.ownerPolicies(owners, cluster, it.on(cluster)))
	}
	return moves
}

// ownerPolicies are the RolloutPolicies of objects that need another one: of those on the cluster, or, where that one is not
// wanted any more, of all.
func (p *Plan) ownerPolicies(owners []*item, cluster string, wanted bool) []*policy.Rollout {
	var all []*policy.Rollout
	for _, owner := range owners {
		if !wanted || owner.on(cluster) {
			all = append(all, p.rollouts.claimedBy[owner])
		}
	}
	return all
}

// on says whether the object goes to a cluster.
func (it *item) on(cluster string) bool {
	_, there := slices.BinarySearchFunc(it.decision.Chosen, cluster, func(c Choice, name string) int { return strings.Compare(c.Cluster, name) })
	return there
}

// assignRollouts finds out once what every object moves by, and where. A Namespace that is not in Git moves by nothing: it is
// there as soon as something in it is.
func (p *Plan) assignRollouts() {
	r := p.rollouts
	r.once.Do(func() {
		r.claimedBy = map[*item]*policy.Rollout{}
		for _, it := range p.items {
			if claimed := r.claims.Of(it.manifest); claimed != nil && it.decision.Origin != (manifest.Origin{}) {
				r.claimedBy[it] = claimed
			}
		}
		on := map[*Rollout]map[string]bool{}
		for _, it := range p.items {
			for _, c := range it.decision.Chosen {
				if made := r.byPolicy[p.rolloutPolicy(it, c.Cluster)]; made != nil {
					if on[made] == nil {
						on[made] = map[string]bool{}
					}
					on[made][c.Cluster] = true
				}
			}
		}
		for made, clusters := range on {
			made.Clusters = slices.Sorted(maps.Keys(clusters))
		}
	})
}
