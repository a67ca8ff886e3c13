package divide

import (
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/place"
)

// round is one division of total replicas by room: over all candidates, or over those of one tier.
//
//	had = total   keep: nothing moves, even if there are new clusters
//	had > total   fewer: the total is divided by the previous replicas
//	had < total   more: each keeps its replicas, and the missing ones are divided by room
//
// A tier that has its total gets no more while other tiers lack replicas.
//
// A former candidate is no site, so its replicas are missing and go to others (Karmada §4.8).
type round struct {
	sites []site
	total int64
	mode  mode
	// spared means that no replicas were left for the tier.
	spared bool
	// parties are the sites with their votes, in the same order; a site outside the division has none. Both are empty
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

// divide divides total replicas, fewer or more than before, over sites with room for the missing ones.
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

// given returns the replicas of site i.
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

// refusal returns the reason why site i, which gets no replicas, is not a target.
func (d round) refusal(i int) (why string, reason place.Reason) {
	switch s := d.sites[i]; {
	case s.moved > 0:
		return "cannot schedule " + phrase.Count(int(s.moved), "replica"), place.NoRoom
	case d.spared:
		return overflown, place.NotNeeded
	case d.mode == keep:
		return "had none, and none moves while all are placed", place.Stays
	case d.mode == fewer && s.had == 0:
		return "had none, and none moves when fewer are wanted", place.Stays
	case d.parties[i].Votes > 0:
		return noneOf(d.total), place.NoShare
	case d.mode == more && s.room == 0:
		return "has no room" + s.doubt(), place.NoRoom
	default:
		return "is not needed: fewer clusters have room for " + phrase.Count(int(d.total), "replica"), place.NotNeeded
	}
}

// overflown is the reason why an unneeded overflow affinity gets no replicas.
const overflown = "is not needed: the affinities before its own have room for all replicas"
