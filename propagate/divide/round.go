package divide

// round is one division of total replicas by room: over all candidates, or over those of one tier.
//
//	had = total   keep: nothing moves, even if there are new clusters
//	had > total   fewer: the total is given out by what each had
//	had < total   more: each keeps what it had, what is missing is given out by what each has room for
//
// A tier that has its total already while others have not is given nothing more.
//
// A cluster that is no longer a candidate is no site, so what it had is missing and goes to others (Karmada §4.8).
type round struct {
	sites []site
	total int64
	mode  mode
	// spared says that nothing was left for the tier.
	spared bool
	// parties are the sites with their votes, in the same order; a site that does not take part has none. Both are empty
	// when everything is kept.
	parties []Party
	seats   []int32
}

type mode int

const (
	keep mode = iota
	fewer
	more
)

// divide gives total replicas to sites, fewer or more than they had; they must have room for what is missing.
func (r Request) divide(sites []site, total int64) round {
	missing := total - had(sites)
	made := round{sites: sites, total: total, mode: more, parties: make([]Party, len(sites))}
	votes := func(s site) int64 { return s.room }
	if missing < 0 {
		made.mode, missing = fewer, total
		votes = func(s site) int64 { return s.had }
	}
	for i, s := range sites {
		made.parties[i] = Party{Name: s.name, Votes: votes(s)}
	}
	if aggregated(r.Scheduling) {
		fewest(made.parties, sites, missing)
	}
	made.seats = Webster(int32(missing), made.parties, r.Seed)
	return made
}

// given is what site i gets in all.
func (d round) given(i int) int32 {
	switch d.mode {
	case keep:
		return int32(d.sites[i].had)
	case fewer:
		return d.seats[i]
	default:
		return int32(d.sites[i].had) + d.seats[i]
	}
}

// refusal is why site i, which is given nothing, is not a target.
func (d round) refusal(i int) string {
	switch s := d.sites[i]; {
	case d.spared:
		return overflown
	case d.mode == keep:
		return "had none, and none moves while all are placed"
	case d.mode == fewer && s.had == 0:
		return "had none, and none moves when fewer are wanted"
	case d.parties[i].Votes > 0:
		return noneOf(d.total)
	case d.mode == more && s.room == 0:
		return "has no room" + s.doubt()
	default:
		return "is not needed: fewer clusters have room for " + replicas(d.total)
	}
}

// overflown is why nothing goes to an overflow affinity.
const overflown = "is not needed: the affinities before its own have room for all replicas"
