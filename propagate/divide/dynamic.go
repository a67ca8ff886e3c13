package divide

import (
	"cmp"
	"slices"
)

// site is a candidate in a division by room.
type site struct {
	index int // among the candidates
	name  string
	room  int64 // for additional replicas
	had   int64 // previous replicas
	// unschedulable are those of had that may move; moved are those that this division moves, which had does not count any more.
	unschedulable, moved int64
	tier                 int
	known                bool // whether its resources are known
	failed               bool // to schedule replicas that moved away
}

// doubt returns a remark for a site whose room is 0 for another reason than that it is full.
func (s site) doubt() string {
	switch {
	case s.room > 0:
		return ""
	case s.failed:
		return " (it could not schedule replicas that moved away, and no more became free since)"
	case !s.known:
		return " (its resources are not known)"
	}
	return ""
}

// dynamic divides by room (Karmada §4.8).
func dynamic(r Request) ([]Share, error) {
	shares := make([]Share, len(r.Candidates))
	if r.Total <= 0 {
		return zero(r, shares), nil
	}
	rounds, err := r.rounds()
	if err != nil {
		return nil, err
	}
	for _, round := range rounds {
		for i, s := range round.sites {
			share := &shares[s.index]
			share.Replicas = round.given(i)
			if share.Replicas == 0 {
				field := r.roomField()
				if round.spared {
					field = overflowField
				}
				why, reason := round.refusal(i)
				share.refuse(why, field, reason)
			}
		}
	}
	return shares, nil
}

// roomField returns the field that makes the policy divide by room.
func (r Request) roomField() string {
	if aggregated(r.Scheduling) {
		return divisionField
	}
	return dynamicField
}

// sites returns the candidates, sorted by name. With Fresh, previous replicas count as room.
func (r Request) sites() []site {
	sites := make([]site, len(r.Candidates))
	for i, c := range r.Candidates {
		s := site{
			index: i, name: c.Cluster.Name, tier: c.Tier,
			room: int64(max(0, c.Room)), had: int64(max(0, c.Before)), known: c.Cluster.Resources != nil, failed: c.Failed,
		}
		s.unschedulable = max(0, min(int64(c.Unschedulable), s.had))
		sites[i] = s
	}
	slices.SortFunc(sites, func(a, b site) int { return cmp.Compare(a.name, b.name) })
	r.move(sites)
	for i := range sites {
		if s := &sites[i]; r.Fresh {
			s.room, s.had = s.room+s.had, 0
		}
	}
	return sites
}

// rooms returns the room of all sites.
func rooms(sites []site) int64 {
	var sum int64
	for _, s := range sites {
		sum += s.room
	}
	return sum
}

// had returns the previous replicas of all sites.
func had(sites []site) int64 {
	var sum int64
	for _, s := range sites {
		sum += s.had
	}
	return sum
}
