package propagate

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// claim finds the policy of an object, or the reason why accord does not propagate it.
func (p *Plan) claim(it *item) {
	d := it.decision
	if d.Why = p.exclusions.reason(d.ID, it.manifest); d.Why != "" {
		return
	}
	if d.Policy = p.claims.winner(it.manifest); d.Policy == nil {
		d.Why = unclaimed(d.ID)
	}
}

// unclaimed returns the reason for an object that no policy selects.
func unclaimed(id manifest.ID) string {
	if id.Namespace == "" {
		return "no ClusterPropagationPolicy selects it"
	}
	return fmt.Sprintf("no PropagationPolicy in namespace %s and no ClusterPropagationPolicy selects it", id.Namespace)
}

// claims finds the policy of an object. Every policy competes for every object in every plan, so the winner depends on
// the content of Git and not on the order of creation (DESIGN section 8, B2).
type claims struct {
	policies map[string][]*policy.Policy // by namespace; "" has the cluster-wide ones
}

func newClaims(policies []policy.Policy) *claims {
	c := &claims{policies: map[string][]*policy.Policy{}}
	for i := range policies {
		p := &policies[i]
		c.policies[p.Namespace] = append(c.policies[p.Namespace], p)
	}
	return c
}

// winner returns the policy that claims u, nil when none does (Karmada §2.2): for a namespaced object a policy of its
// namespace before any cluster-wide one, then the higher priority, then the more exact selector, then the smaller name.
func (c *claims) winner(u *unstructured.Unstructured) *policy.Policy {
	if namespace := u.GetNamespace(); namespace != "" {
		if p := best(c.policies[namespace], u); p != nil {
			return p
		}
	}
	return best(c.policies[""], u)
}

// best returns the policy of one tier that wins u.
func best(tier []*policy.Policy, u *unstructured.Unstructured) *policy.Policy {
	var winner *policy.Policy
	var exact int
	for _, p := range tier {
		match := selects(p.Spec.ResourceSelectors, u)
		if match == policy.NoMatch {
			continue
		}
		if winner == nil || beats(p, match, winner, exact) {
			winner, exact = p, match
		}
	}
	return winner
}

// selecting returns all policies that select u, best first.
func (c *claims) selecting(u *unstructured.Unstructured) []*policy.Policy {
	var all []*policy.Policy
	tiers := []string{""}
	if namespace := u.GetNamespace(); namespace != "" {
		tiers = []string{namespace, ""}
	}
	for _, tier := range tiers {
		var found []*policy.Policy
		for _, p := range c.policies[tier] {
			if selects(p.Spec.ResourceSelectors, u) != policy.NoMatch {
				found = append(found, p)
			}
		}
		slices.SortFunc(found, func(a, b *policy.Policy) int {
			return compare(a, selects(a.Spec.ResourceSelectors, u), b, selects(b.Spec.ResourceSelectors, u))
		})
		all = append(all, found...)
	}
	return all
}

func beats(a *policy.Policy, exactA int, b *policy.Policy, exactB int) bool {
	return compare(a, exactA, b, exactB) < 0
}

// compare puts the better policy first: by priority, then by how exactly it selects, then by name.
func compare(a *policy.Policy, exactA int, b *policy.Policy, exactB int) int {
	return cmp.Or(
		cmp.Compare(priority(b), priority(a)),
		cmp.Compare(exactB, exactA),
		cmp.Compare(a.Name, b.Name),
	)
}

func priority(p *policy.Policy) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// selects returns the best match of several selectors.
func selects(selectors []policy.ResourceSelector, u *unstructured.Unstructured) int {
	match := policy.NoMatch
	for _, s := range selectors {
		match = max(match, s.Match(u))
	}
	return match
}
