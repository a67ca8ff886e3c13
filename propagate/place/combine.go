package place

import (
	"cmp"
	"slices"
)

// combine chooses as many regions as the constraint allows that together have enough clusters; the worthiest comes
// first. It returns nil when no choice is possible.
//
// The rule (Karmada §4.5, steps 3 and 4): take the regions with the fewest clusters first (then the worthier, then by
// name), and extend a combination only while it is not enough. Of all these combinations the one with the greatest
// worth is the best, then the one with most clusters, then the first one found. If its worthiest regions alone are
// enough, the others are dropped.
func combine(regions []region, limit constraint, clusters int) []region {
	order := slices.SortedFunc(slices.Values(regions), func(a, b region) int {
		return cmp.Or(cmp.Compare(len(a.clusters), len(b.clusters)), worthier(a, b))
	})
	search := newSearch(goal{least: limit.least, most: limit.most, clusters: clusters}, order)
	var in []bool
	switch {
	case clustersOf(order) < clusters:
	case len(order)*search.pairs() <= maxSteps:
		in = search.best()
	default:
		in = search.largest()
	}
	var chosen []region
	for i := range in {
		if in[i] {
			chosen = append(chosen, order[i])
		}
	}
	slices.SortFunc(chosen, worthier)
	return chosen[:search.prefix(chosen)]
}

func worthier(a, b region) int {
	return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.name, b.name))
}

// goal is the requirement for a combination of regions.
type goal struct{ least, most, clusters int }

func (g goal) met(regions, clusters int) bool {
	return regions >= g.least && regions <= g.most && clusters >= g.clusters
}

// prefix returns how many of the regions, from the first on, are enough.
func (g goal) prefix(regions []region) int {
	clusters := 0
	for i, r := range regions {
		clusters += len(r.clusters)
		if g.met(i+1, clusters) {
			return i + 1
		}
	}
	return len(regions)
}
