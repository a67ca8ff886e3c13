package place

import (
	"cmp"
	"slices"
)

// Selection is what spread constraints make of the candidates.
type Selection struct {
	// Chosen is sorted by cluster name.
	Chosen []Candidate
	// Left are the candidates that were not chosen, sorted by name.
	Left []Left
}

// Left is a candidate that was not chosen.
type Left struct {
	Cluster string
	Why     string // a sentence about the cluster
	Field   string // the path of the field below spec.placement that left it out
}

// Problem is why no choice could be made although clusters passed every filter.
type Problem struct {
	Message string
	Field   string // below spec.placement
}

// Error is the message.
func (p *Problem) Error() string { return p.Message }

// Select chooses among the candidates as the spread constraints say; the error is a *Problem. Their order does not
// matter, and they are not changed.
//
//	constraints (Karmada §4.5)          chosen
//	none, or with static weights        all
//	by region                           regions, then clusters in them
//	by cluster                          clusters
//	by zone, provider or label alone    nothing can be: a Problem
//
// Zone and provider next to cluster or region act as a filter only. An object without replicas is placed as one of
// which there are 0: every cluster has room for it.
func (q Question) Select(candidates []Candidate) (Selection, error) {
	sorted := slices.SortedFunc(slices.Values(candidates), q.prefer)
	s, err := q.choose(sorted, q.constraint("region"), q.constraint("cluster"))
	if err != nil {
		return Selection{}, err
	}
	slices.SortFunc(s.Chosen, func(a, b Candidate) int { return cmp.Compare(a.Cluster.Name, b.Cluster.Name) })
	slices.SortFunc(s.Left, func(a, b Left) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return s, nil
}

// choose says which case of Select it is.
func (q Question) choose(sorted []Candidate, region, cluster constraint) (Selection, error) {
	if q.unconstrained() {
		return Selection{Chosen: sorted}, nil
	}
	if !region.there && !cluster.there {
		return Selection{}, q.unusable()
	}
	if s, ok := q.stays(sorted, region, cluster); ok {
		return s, nil
	}
	if region.there {
		return q.byRegion(sorted, region, cluster)
	}
	return q.byCluster(sorted, cluster)
}
