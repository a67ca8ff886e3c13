package place

import (
	"cmp"
	"slices"
)

// maxSteps bounds the search for the best combination, in regions x regions wanted x clusters wanted. A hundred regions
// with four hundred clusters stay below it with any constraints and take some milliseconds.
const maxSteps = 1 << 22

// search finds the best combination of regions without listing all of them. The possible extensions of a combination
// depend on two numbers only, its regions and its clusters, both capped where more make no difference. So search finds
// the best extension once for each pair, from the last region to the first.
type search struct {
	goal
	order             []region // the order in which regions are added
	regions, clusters int      // caps of the two numbers
}

func newSearch(g goal, order []region) search {
	s := search{goal: g, order: order, regions: g.most, clusters: g.clusters}
	if g.most >= len(order) {
		s.regions = g.least // more are never too many
	}
	if g.clusters <= g.least {
		s.clusters = 0 // each region has one
	}
	return s
}

// pairs returns the number of pairs.
func (s search) pairs() int { return (s.regions + 1) * (s.clusters + 1) }

// at returns the index of a pair.
func (s search) at(n, c int) int { return n*(s.clusters+1) + c }

// closed reports whether a pair is not extended: it is enough, or no more regions are allowed.
func (s search) closed(n, c int) bool { return n >= s.least && c >= s.clusters || n >= s.most }

// plus returns the pair with one region more.
func (s search) plus(n, c int, r region) (int, int) {
	return min(n+1, s.regions), min(c+len(r.clusters), s.clusters)
}

// ahead is the contribution of the regions yet to be added.
type ahead struct {
	possible bool
	worth    int64
	clusters int
}

func (a ahead) over(b ahead) bool {
	if a.possible != b.possible {
		return a.possible
	}
	return cmp.Or(cmp.Compare(a.worth, b.worth), cmp.Compare(a.clusters, b.clusters)) > 0
}

// best marks the regions of the best combination; nil when none is possible. Among equals the search finds the one
// whose first differing region comes first in the order, so it adds a region rather than skipping it.
func (s search) best() []bool {
	way := make([]ahead, s.pairs()) // best extension of each pair with the regions seen so far
	for n := s.least; n <= s.regions; n++ {
		way[s.at(n, s.clusters)].possible = true
	}
	add := make([][]bool, len(s.order)) // whether a region is added to each pair
	for i, r := range slices.Backward(s.order) {
		add[i] = make([]bool, s.pairs())
		for n := range s.regions + 1 {
			for c := range s.clusters + 1 {
				if s.closed(n, c) {
					continue
				}
				with := way[s.at(s.plus(n, c, r))]
				with.worth, with.clusters = with.worth+r.worth, with.clusters+len(r.clusters)
				if with.possible && !way[s.at(n, c)].over(with) {
					way[s.at(n, c)], add[i][s.at(n, c)] = with, true
				}
			}
		}
	}
	if !way[s.at(0, 0)].possible {
		return nil
	}
	return s.follow(add)
}

// follow collects the regions along the best extensions.
func (s search) follow(add [][]bool) []bool {
	in := make([]bool, len(s.order))
	n, c := 0, 0
	for i, r := range s.order {
		if in[i] = add[i][s.at(n, c)]; in[i] {
			n, c = s.plus(n, c, r)
		}
	}
	return in
}

// largest marks the regions with most clusters, as many as are enough, if the search would take too long. It finds a
// combination whenever there is one.
func (s search) largest() []bool {
	by := make([]int, len(s.order))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(i, j int) int {
		a, b := s.order[i], s.order[j]
		return cmp.Or(cmp.Compare(len(b.clusters), len(a.clusters)), worthier(a, b))
	})
	in := make([]bool, len(s.order))
	clusters := 0
	for n, i := range by {
		in[i] = true
		if clusters += len(s.order[i].clusters); s.met(n+1, clusters) {
			return in
		}
	}
	return nil
}
