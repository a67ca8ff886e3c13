package stage

import (
	"cmp"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// PolicyIndex finds the RolloutPolicy that claims an object.
type PolicyIndex struct {
	policies map[string][]*policy.Rollout // by namespace; "" has the cluster-wide ones
}

// NewPolicyIndex returns an index of policies, in any order.
func NewPolicyIndex(policies []policy.Rollout) PolicyIndex {
	c := PolicyIndex{policies: map[string][]*policy.Rollout{}}
	for i := range policies {
		p := &policies[i]
		c.policies[p.Namespace] = append(c.policies[p.Namespace], p)
	}
	return c
}

// PolicyFor returns the policy that claims the object with this ID and manifest; nil when there is none, and then every cluster gets the changes at once. The
// rules are those of propagation policies without priority: a policy of the namespace before any cluster-wide policy, then
// the more exact selector (name, labels, kind), then the smaller name.
func (c PolicyIndex) PolicyFor(id manifest.ID, m *manifest.Packed) *policy.Rollout {
	if id.Namespace != "" {
		if p := best(c.policies[id.Namespace], id, m); p != nil {
			return p
		}
	}
	return best(c.policies[""], id, m)
}

func best(tier []*policy.Rollout, id manifest.ID, m *manifest.Packed) *policy.Rollout {
	var winner *policy.Rollout
	exact := policy.NoMatch
	for _, p := range tier {
		match := policy.BestMatchOf(p.Spec.ResourceSelectors, id, m)
		if match > exact || match == exact && winner != nil && p.Name < winner.Name {
			winner, exact = p, match
		}
	}
	return winner
}

// DependencyPolicy returns the policy of an object that other objects need on a cluster: the policy of those objects, or own
// when there are none. If there are several policies the first counts, namespaced before cluster-wide and then by name,
// because an object with two policies could make each wait for the other. own and owners may be nil and contain nil.
func DependencyPolicy(own *policy.Rollout, owners []*policy.Rollout) *policy.Rollout {
	var first *policy.Rollout
	for _, p := range owners {
		if p != nil && (first == nil || before(p, first)) {
			first = p
		}
	}
	return cmp.Or(first, own)
}

func before(a, b *policy.Rollout) bool {
	if a.ClusterWide() != b.ClusterWide() {
		return b.ClusterWide()
	}
	return a.String() < b.String()
}
