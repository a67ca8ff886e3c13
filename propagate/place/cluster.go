package place

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/internal/phrase"
)

// byCluster takes the most preferred candidates, as many as the constraint allows (Karmada §4.5, cluster algorithm). If
// replicas are divided, the clusters together must have room for all of them. It reorders sorted.
func (q Question) byCluster(sorted []Candidate, limit constraint) (Selection, error) {
	if len(sorted) < limit.least {
		return Selection{}, limit.needs(fmt.Sprintf("%d fit", len(sorted)))
	}
	n := min(len(sorted), limit.most)
	chosen, rest := sorted[:n], sorted[n:]
	if q.divided() {
		if room := q.exchange(chosen, rest); room < int64(q.replicas()) {
			return Selection{}, q.notEnoughRoom(limit, len(chosen), len(rest), room)
		}
	}
	if len(rest) == 0 {
		return Selection{Chosen: chosen}, nil
	}
	return Selection{Chosen: chosen, NotChosen: q.tooMany(limit, len(sorted), slices.MaxFunc(chosen, q.prefer), rest)}, nil
}

// exchange makes room for all replicas: from the last chosen cluster to the first, it swaps each with the roomiest of
// the rest, if that has more room, until the room suffices. It returns the resulting room.
func (q Question) exchange(chosen, rest []Candidate) int64 {
	var room int64
	for _, c := range chosen {
		room += q.available(c)
	}
	for i := len(chosen) - 1; i >= 0 && room < int64(q.replicas()); i-- {
		most := -1
		has := q.available(chosen[i])
		for j, c := range rest {
			if a := q.available(c); a > has {
				most, has = j, a
			}
		}
		if most >= 0 {
			room += has - q.available(chosen[i])
			chosen[i], rest[most] = rest[most], chosen[i]
		}
	}
	return room
}

// notEnoughRoom returns the problem of clusters that together have too little room.
func (q Question) notEnoughRoom(limit constraint, clusters, others int, room int64) error {
	reason := AllFull
	if others > 0 {
		reason = MaxFull
	}
	where, field := fmt.Sprintf("all %s that fit", phrase.Count(clusters, "cluster")), limit.field
	if clusters == limit.most {
		where, field = "at most "+phrase.Count(clusters, "cluster"), limit.field+".maxGroups"
	}
	return &Problem{
		Message: fmt.Sprintf("in %s there is room for %d of %s", where, room, phrase.Count(int(q.replicas()), "replica")),
		Field:   field,
		Reason:  reason,
	}
}
