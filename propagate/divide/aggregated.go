package divide

import (
	"cmp"
	"slices"
)

// fewest leaves their votes to no more parties than are needed for seats, and takes them from the others: those that
// have replicas come first, then those with the most votes, then by name (Karmada §4.8). Each keeps as many votes as it
// has, so that seats are in proportion and no party is filled before the next.
func fewest(parties []Party, sites []site, seats int64) {
	order := make([]int, len(parties))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(
			cmp.Compare(min(1, sites[j].had), min(1, sites[i].had)),
			cmp.Compare(parties[j].Votes, parties[i].Votes),
			cmp.Compare(parties[i].Name, parties[j].Name))
	})
	for _, i := range order {
		if seats <= 0 {
			parties[i].Votes = 0
		}
		seats -= parties[i].Votes
	}
}
