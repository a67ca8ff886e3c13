package propagate

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/stage"
)

// Rollout is one RolloutPolicy with the objects of a plan that it stages, cluster by cluster.
type Rollout struct {
	Policy *policy.Rollout
	// Clusters that an object of the rollout goes to, sorted.
	Clusters []string

	plan     *Plan
	clusters []rolloutCluster // parallel to the clusters of the plan
}

// rolloutCluster has the objects of a rollout on one cluster, collected once.
type rolloutCluster struct {
	once         sync.Once
	items        []stage.Item
	dependencies []manifest.ID
	held         string
	digest       string
}

// rollouts has the RolloutPolicies of a plan; nil without one.
type rollouts struct {
	claims    stage.PolicyIndex
	once      sync.Once
	byPolicy  map[*policy.Rollout]*Rollout
	all       []*Rollout                // sorted by Name
	claimedBy map[*item]*policy.Rollout // the RolloutPolicy that claims each object; unclaimed objects are missing
}

func (p *Plan) newRollouts(policies []policy.Rollout) *rollouts {
	if len(policies) == 0 {
		return nil
	}
	policies = slices.Clone(policies) // the caller may sort its own
	r := &rollouts{claims: stage.NewPolicyIndex(policies), byPolicy: map[*policy.Rollout]*Rollout{}}
	for i := range policies {
		made := &Rollout{Policy: &policies[i], plan: p, clusters: make([]rolloutCluster, len(p.members.All))}
		r.byPolicy[made.Policy] = made
		r.all = append(r.all, made)
	}
	slices.SortFunc(r.all, func(a, b *Rollout) int { return cmp.Compare(a.Name(), b.Name()) })
	return r
}

// Name returns "shop/web", or "standard" for a RolloutPolicy that is cluster-wide.
func (r *Rollout) Name() string { return r.Policy.String() }

// Sequence returns the clusters of each stage. also are clusters from which an object of the rollout is to be removed.
func (r *Rollout) Sequence(also ...string) stage.Sequence {
	return stage.NewSequence(r.Policy, r.plan.members.All, slices.Concat(r.Clusters, also))
}

// Digest returns one digest for all objects of the rollout on a cluster (stage.Sum); empty when there are none. An
// object that cannot be rendered counts with its error. Digest renders the objects of the cluster.
func (r *Rollout) Digest(cluster string) string {
	i, known := r.plan.members.Index[cluster]
	if !known {
		return ""
	}
	return r.forCluster(i).digest
}

// Items returns the objects that Digest covers, in apply order; objects that cannot be rendered come last. The caller
// must not change them.
func (r *Rollout) Items(cluster string) []stage.Item {
	if i, known := r.plan.members.Index[cluster]; known {
		return r.forCluster(i).items
	}
	return nil
}

// Dependencies returns the Items that are on the cluster only because another object needs them: the RolloutPolicy
// itself does not claim them.
func (r *Rollout) Dependencies(cluster string) []manifest.ID {
	if i, known := r.plan.members.Index[cluster]; known {
		return r.forCluster(i).dependencies
	}
	return nil
}

// Held returns the reason why people hold objects of the rollout on a cluster, or all of it; empty when they do not.
func (r *Rollout) Held(cluster string) string {
	if i, known := r.plan.members.Index[cluster]; known {
		return cmp.Or(r.plan.Hold(cluster), r.forCluster(i).held)
	}
	return ""
}

// forCluster collects the objects of the rollout on a cluster.
func (r *Rollout) forCluster(cluster int) *rolloutCluster {
	w := &r.clusters[cluster]
	w.once.Do(func() {
		target := r.plan.ForCluster(r.plan.members.All[cluster].Name)
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
	if it, _ := r.plan.items.get(item.ID); r.plan.rollouts.claimedBy[it] != r.Policy {
		w.dependencies = append(w.dependencies, item.ID)
	}
}

// Rollouts returns all RolloutPolicies of the input, sorted by name; one that claims nothing has no Clusters. The
// caller must not change them.
func (p *Plan) Rollouts() []*Rollout {
	if p.rollouts == nil {
		return nil
	}
	p.assignRollouts()
	return p.rollouts.all
}

// Rollout returns the rollout that stages an object on a cluster; nil when the object changes at once. Where the object
// is a dependency, it is staged with the objects that need it (stage.Travels). Where the plan does not place it, the
// result is about its removal: for an object that left Git, the labels of the live object decide.
func (p *Plan) Rollout(cluster string, id manifest.ID, labels map[string]string) *Rollout {
	if p.rollouts == nil {
		return nil
	}
	p.assignRollouts()
	it, known := p.items.get(id)
	if !known {
		return p.rollouts.byPolicy[p.rollouts.claims.PolicyFor(id, manifest.Whole(manifest.Bare(id, labels)))]
	}
	return p.rollouts.byPolicy[p.rolloutPolicy(it, cluster)]
}

// rolloutPolicy returns the RolloutPolicy that stages an object on a cluster.
func (p *Plan) rolloutPolicy(it *item, cluster string) *policy.Rollout {
	moves := p.rollouts.claimedBy[it]
	if owners := p.owners(it.decision.ID); len(owners) > 0 {
		moves = stage.DependencyPolicy(moves, p.ownerPolicies(owners, cluster, it.decision.On(cluster)))
	}
	return moves
}

// ownerPolicies returns the RolloutPolicies of the owners on the cluster, or of all owners if the object is no longer
// wanted there.
func (p *Plan) ownerPolicies(owners []*item, cluster string, wanted bool) []*policy.Rollout {
	var all []*policy.Rollout
	for _, owner := range owners {
		if !wanted || owner.decision.On(cluster) {
			all = append(all, p.rollouts.claimedBy[owner])
		}
	}
	return all
}

// assignRollouts determines once which rollout stages every object, and where. A Namespace that is not in Git has none:
// it exists as soon as an object in it does.
func (p *Plan) assignRollouts() {
	r := p.rollouts
	r.once.Do(func() {
		r.claimedBy = map[*item]*policy.Rollout{}
		for _, it := range p.items.all {
			if claimed := r.claims.PolicyFor(it.decision.ID, it.manifest); claimed != nil && it.decision.Origin != (manifest.Origin{}) {
				r.claimedBy[it] = claimed
			}
		}
		on := map[*Rollout]map[string]bool{}
		for _, it := range p.items.all {
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
