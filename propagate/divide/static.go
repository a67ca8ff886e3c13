package divide

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/place"
)

// static divides by the weights in the policy, with Webster's method (Karmada §4.7).
func static(r Request) []Share {
	shares := make([]Share, len(r.Candidates))
	parties := make([]Party, len(r.Candidates))
	for i, w := range weightsOf(r.Scheduling.WeightPreference, r.Candidates) {
		parties[i] = Party{Name: r.Candidates[i].Cluster.Name, Votes: w.votes}
		if w.votes == 0 {
			shares[i].refuse(unlisted, staticField, place.NoWeight)
		}
	}
	if r.Total <= 0 {
		return zero(r, shares)
	}
	for i, seats := range Webster(r.Total, parties, r.Seed) {
		shares[i].Replicas = seats
		if seats == 0 && shares[i].Refused == "" {
			shares[i].refuse(noneOf(int64(r.Total)), schedulingField, place.NoShare)
		}
	}
	return shares
}

// unlisted is the reason why a cluster without weight is not a target.
const unlisted = "matches no entry of staticWeightList"

// noneOf returns the reason why a cluster with a weight is not a target.
func noneOf(total int64) string {
	return "its share of " + phrase.Count(int(total), "replica") + " is 0"
}

// weight is the weight of a cluster, and the index of its entry in the list; -1 without an entry.
type weight struct {
	votes int64
	entry int
}

// weightsOf returns the weights of the clusters: the largest of the matching entries, 0 without one; all equal when
// there is no list, or no entry matches any cluster (Karmada §4.7).
func weightsOf(p *policy.WeightPreference, candidates []place.Candidate) []weight {
	weights := make([]weight, len(candidates))
	matched := false
	for i, c := range candidates {
		weights[i] = weightOf(p, c)
		matched = matched || weights[i].entry >= 0
	}
	if !matched {
		for i := range weights {
			weights[i].votes = 1
		}
	}
	return weights
}

func weightOf(p *policy.WeightPreference, c place.Candidate) weight {
	w := weight{entry: -1}
	if p == nil {
		return w
	}
	for i, listed := range p.StaticWeightList {
		if w.entry >= 0 && listed.Weight <= w.votes {
			continue
		}
		if ok, _, _ := c.Cluster.Matches(listed.TargetCluster); ok {
			w = weight{votes: max(0, listed.Weight), entry: i}
		}
	}
	return w
}
