package place

import (
	"cmp"
	"slices"
)

// Selection is the result of spread constraints.
type Selection struct {
	// Chosen is sorted by cluster name.
	Chosen []Candidate
	// NotChosen are the other candidates, sorted by name.
	NotChosen []NotChosen
}

// NotChosen is a candidate that was not chosen.
type NotChosen struct {
	Cluster string
	Why     string // a sentence about the cluster
	Field   string // the path of the field below spec.placement that excluded it
	Reason  Reason
}

// Problem is the reason why no choice was possible although clusters passed every filter.
type Problem struct {
	Message string
	Field   string // below spec.placement
	Reason  Reason
}

// Error returns the message.
func (p *Problem) Error() string { return p.Message }

// Select chooses among the candidates by the spread constraints; the error is a *Problem. The order of the candidates
// does not matter, and Select does not change them.
//
//	constraints (Karmada §4.5)          chosen
//	none, or with static weights        all
//	by region                           regions, then clusters in them
//	by cluster                          clusters
//	by zone, provider or label alone    none: a Problem
//
// Zone and provider next to cluster or region act as a filter only. An object without replicas is placed as if it had 0
// of them: every cluster has room for it.
func (q Question) Select(candidates []Candidate) (Selection, error) {
	sorted := slices.Clone(candidates)
	slices.SortFunc(sorted, q.prefer)
	s, err := q.choose(sorted, q.constraint("region"), q.constraint("cluster"))
	if err != nil {
		return Selection{}, err
	}
	slices.SortFunc(s.Chosen, func(a, b Candidate) int { return cmp.Compare(a.Cluster.Name, b.Cluster.Name) })
	slices.SortFunc(s.NotChosen, func(a, b NotChosen) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return s, nil
}

// choose applies the matching case of Select.
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
