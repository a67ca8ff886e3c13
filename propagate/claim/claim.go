// Package claim finds the propagation policy of each object (Karmada §2.2).
package claim

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Index finds the policy of an object. Every policy competes for every object in every plan, so the winner depends on
// the content of Git and not on the order of creation (DESIGN section 8, B2).
type Index struct {
	policies  []*policy.Policy // by their number in selectors
	selectors policy.SelectorIndex
}

// NewIndex returns an index of policies. The caller must not change the policies afterwards; it may sort its own slice.
func NewIndex(policies []*policy.Policy) *Index {
	x := &Index{policies: slices.Clone(policies)}
	for i, p := range policies {
		x.selectors.Add(i, p.Namespace, p.Spec.ResourceSelectors)
	}
	return x
}

// Suspends reports whether a policy suspends objects.
func (x *Index) Suspends() bool {
	return slices.ContainsFunc(x.policies, func(p *policy.Policy) bool { return p.Spec.Suspension != nil })
}

// Next returns the index of other policies: x itself if it has exactly these, in this order. The nil Index has none.
func (x *Index) Next(policies []*policy.Policy) *Index {
	if x != nil && slices.EqualFunc(policies, x.policies, (*policy.Policy).Equal) {
		return x
	}
	return NewIndex(policies)
}

// Adopt replaces the policies that an earlier index has, too, by those of the earlier index, and returns all others of both.
func (x *Index) Adopt(earlier *Index) (different []Policy) {
	old, now := earlier.policies, x.policies
	for len(old) > 0 && len(now) > 0 && old[0] == now[0] { // names are compared only for those between
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	before := map[string]*policy.Policy{}
	for _, p := range old {
		before[p.Title()] = p
	}
	for i, p := range now {
		if was := before[p.Title()]; was != nil && was.Equal(p) {
			now[i] = was
			delete(before, p.Title())
			continue
		}
		different = append(different, Policy{p})
	}
	for _, p := range before {
		different = append(different, Policy{p})
	}
	return different
}

// Policy is one policy of an index.
type Policy struct{ *policy.Policy }

// Selects reports whether the policy selects the object with this ID and manifest.
func (p Policy) Selects(id manifest.ID, m *manifest.Packed) bool {
	return (p.Namespace == "" || p.Namespace == id.Namespace) && policy.BestMatchOf(p.Spec.ResourceSelectors, id, m) != policy.NoMatch
}

// Winner returns the policy that claims the object with this ID and manifest, nil when none does: for a namespaced object a policy of its namespace before
// any cluster-wide one, then the higher priority, then the more exact selector, then the smaller name.
func (x *Index) Winner(id manifest.ID, m *manifest.Packed) *policy.Policy {
	return x.winner(id, m, policy.MatchKind)
}

// Naming is Winner among the policies that select the object by name.
func (x *Index) Naming(id manifest.ID, m *manifest.Packed) *policy.Policy {
	return x.winner(id, m, policy.MatchName)
}

// winner is Winner among the policies that select the object at least as exactly.
func (x *Index) winner(id manifest.ID, m *manifest.Packed, least int) *policy.Policy {
	var winner *policy.Policy
	var exact int
	for _, i := range x.selectors.Candidates(id) {
		p := x.policies[i]
		match := policy.BestMatchOf(p.Spec.ResourceSelectors, id, m)
		if match >= least && (winner == nil || compare(p, match, winner, exact) < 0) {
			winner, exact = p, match
		}
	}
	return winner
}

// In returns all policies that can claim an object in a namespace, cluster-wide policies last.
func (x *Index) In(namespace string) []*policy.Policy {
	var own, wide []*policy.Policy
	for _, p := range x.policies {
		if !slices.ContainsFunc(p.Spec.ResourceSelectors, func(s policy.ResourceSelector) bool {
			return s.Namespace == "" || s.Namespace == namespace
		}) {
			continue
		}
		switch p.Namespace {
		case "":
			wide = append(wide, p)
		case namespace:
			own = append(own, p)
		}
	}
	return append(own, wide...)
}

// Selecting returns all policies that select the object with this ID and manifest, the winner first.
func (x *Index) Selecting(id manifest.ID, m *manifest.Packed) []*policy.Policy {
	match := func(p *policy.Policy) int { return policy.BestMatchOf(p.Spec.ResourceSelectors, id, m) }
	var all []*policy.Policy
	for _, i := range x.selectors.Candidates(id) {
		if p := x.policies[i]; match(p) != policy.NoMatch {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *policy.Policy) int { return compare(a, match(a), b, match(b)) })
	return all
}

// compare puts the better policy of an object first: one of its namespace before cluster-wide ones, then by priority, then by how
// exactly it selects, then by name.
func compare(a *policy.Policy, exactA int, b *policy.Policy, exactB int) int {
	return cmp.Or(
		cmp.Compare(b.Namespace, a.Namespace), // a namespaced policy reaches one namespace only
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
