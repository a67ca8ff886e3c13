package divide

import (
	"cmp"
	"slices"
)

// fewest keeps the votes of as few parties as seats need, and removes them from the others: parties with replicas come
// first, then those with the most votes, then by name, which is their order (Karmada §4.8). A kept party keeps all its
// votes, so that seats are in proportion and no party is filled before the next.
func fewest(parties []Party, sites []site, seats int64) {
	order := make([]int, len(parties))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(
			cmp.Compare(min(1, sites[j].had), min(1, sites[i].had)),
			cmp.Compare(parties[j].Votes, parties[i].Votes))
	})
	for _, i := range order {
		if seats <= 0 {
			parties[i].Votes = 0
		}
		seats -= parties[i].Votes
	}
}
