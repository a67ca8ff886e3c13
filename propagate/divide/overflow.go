package divide

import (
	"cmp"
	"slices"
)

// rounds divides the total tier by tier: each tier gets as many replicas as it had or has room for, while any are left,
// and divides them alone (Karmada §4.8). So the last tier shrinks first, and its replicas return to an earlier tier
// with new room as soon as the total changes; while all replicas are placed, nothing moves. Without overflow there is
// one tier. The error is a *place.Problem.
func (r Request) rounds() ([]round, error) {
	sites := r.sites()
	total := int64(r.Total)
	if had(sites) == total {
		return []round{{sites: sites, total: total, mode: keep}}, nil
	}
	if rooms(sites) < total-had(sites) {
		return nil, r.notEnoughRoom(sites)
	}
	var made []round
	for _, tier := range tiers(sites) {
		n := min(total, rooms(tier)+had(tier))
		d := r.divide(tier, n)
		d.spared = total == 0
		made = append(made, d)
		total -= n
	}
	return made, nil
}

// tiers returns the sites grouped by tier, in the order of the tiers.
func tiers(sites []site) [][]site {
	slices.SortStableFunc(sites, func(a, b site) int { return cmp.Compare(a.tier, b.tier) })
	var all [][]site
	for len(sites) > 0 {
		n := slices.IndexFunc(sites, func(s site) bool { return s.tier != sites[0].tier })
		if n < 0 {
			n = len(sites)
		}
		all = append(all, sites[:n:n])
		sites = sites[n:]
	}
	return all
}
