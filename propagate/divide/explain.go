package divide

import (
	"fmt"
	"math/big"

	"github.com/accord-dev/accord/api/policy"
)

// Explain returns for each candidate, in the same order, how its replicas came about, in a few words that follow the
// number ("kept 4, 2 more by room for 8 of 24"). It repeats the division. A cluster without replicas has its refusal
// instead; when there is not enough room, each cluster has its possible contribution.
func Explain(r Request) []string {
	switch s := r.Scheduling; {
	case s == nil:
		return everyone(r, "all of them (no replicaScheduling)")
	case s.ReplicaSchedulingType != policy.Divided:
		return everyone(r, "all of them (Duplicated)")
	case r.Total <= 0:
		return explainZero(r)
	case byRoom(s):
		return explainRoom(r)
	default:
		return explainWeights(r)
	}
}

func everyone(r Request, phrase string) []string {
	all := make([]string, len(r.Candidates))
	for i := range all {
		all[i] = phrase
	}
	return all
}

func explainZero(r Request) []string {
	shares, _ := Replicas(r) // zero replicas need no room
	all := make([]string, len(shares))
	for i, share := range shares {
		switch {
		case share.Refused != "":
			all[i] = share.Refused
		case r.Candidates[i].Chosen:
			all[i] = "stays with 0"
		default:
			all[i] = "0 on every cluster, for it is on none yet"
		}
	}
	return all
}

func explainWeights(r Request) []string {
	weights := weightsOf(r.Scheduling.WeightPreference, r.Candidates)
	sum := new(big.Int) // each may be as large as an int64
	for _, w := range weights {
		sum.Add(sum, big.NewInt(w.votes))
	}
	all := make([]string, len(weights))
	for i, w := range weights {
		switch p := r.Scheduling.WeightPreference; {
		case w.votes == 0:
			all[i] = unlisted
		case w.entry >= 0:
			all[i] = fmt.Sprintf("weight %d of %d (staticWeightList[%d])", w.votes, sum, w.entry)
		case p == nil || len(p.StaticWeightList) == 0:
			all[i] = fmt.Sprintf("weight 1 of %d (no staticWeightList)", sum)
		default:
			all[i] = fmt.Sprintf("weight 1 of %d (staticWeightList matches no cluster)", sum)
		}
	}
	return all
}

func explainRoom(r Request) []string {
	all := make([]string, len(r.Candidates))
	rounds, err := r.rounds()
	if err != nil {
		for _, s := range r.sites() {
			all[s.index] = fmt.Sprintf("has %d, room for %d more%s: not enough in all", s.had, s.room, s.doubt())
		}
		return all
	}
	for _, d := range rounds {
		tier := ""
		if len(rounds) > 1 && !d.spared {
			tier = r.tier(d)
		}
		for i, s := range d.sites {
			all[s.index] = tier + d.phrase(i)
			if s.moved > 0 && d.given(i) > 0 {
				all[s.index] += fmt.Sprintf(", %d that it cannot schedule moved", s.moved)
			}
			if r.Fresh && d.given(i) > 0 {
				all[s.index] += ", counted afresh"
			}
		}
	}
	return all
}

// tier describes the part of the total that one tier gets.
func (r Request) tier(d round) string {
	n := d.sites[0].tier
	switch named := n < len(r.Tiers); {
	case named && n == 0:
		return fmt.Sprintf("primary affinity %q takes %d of %d: ", r.Tiers[0], d.total, r.Total)
	case n == 0:
		return fmt.Sprintf("primary affinity takes %d of %d: ", d.total, r.Total)
	case named:
		return fmt.Sprintf("overflow affinity %q takes %d of %d: ", r.Tiers[n], d.total, r.Total)
	default:
		return fmt.Sprintf("overflow affinity %d takes %d of %d: ", n, d.total, r.Total)
	}
}

// phrase describes how site i got its replicas in this round.
func (d round) phrase(i int) string {
	s := d.sites[i]
	switch {
	case d.given(i) == 0:
		why, _ := d.refusal(i)
		return why
	case d.mode == keep:
		return fmt.Sprintf("kept %d", s.had)
	case d.mode == fewer:
		return fmt.Sprintf("kept %d of %d (%d scaled down to %d)", d.seats[i], s.had, had(d.sites), d.total)
	case s.had == 0:
		return fmt.Sprintf("room for %d of %d", s.room, d.votes())
	case d.seats[i] == 0:
		return fmt.Sprintf("kept %d", s.had)
	default:
		return fmt.Sprintf("kept %d, %d more by room for %d of %d", s.had, d.seats[i], s.room, d.votes())
	}
}

// votes returns the votes of all parties.
func (d round) votes() int64 {
	var sum int64
	for _, p := range d.parties {
		sum += p.Votes
	}
	return sum
}
