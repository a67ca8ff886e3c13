package place

import (
	"fmt"
	"slices"
)

// byCluster takes as many of the candidates, the most preferred first, as the constraint allows (Karmada §4.5, cluster
// algorithm). Where replicas are divided the clusters must have room for all of them together. sorted is reordered.
func (q Question) byCluster(sorted []Candidate, limit constraint) (Selection, error) {
	if len(sorted) < limit.least {
		return Selection{}, limit.needs(fmt.Sprintf("%d fit", len(sorted)))
	}
	n := min(len(sorted), limit.most)
	chosen, rest := sorted[:n], sorted[n:]
	if q.divided() {
		if room := q.exchange(chosen, rest); room < int64(q.replicas()) {
			return Selection{}, q.short(limit, len(chosen), room)
		}
	}
	if len(rest) == 0 {
		return Selection{Chosen: chosen}, nil
	}
	return Selection{Chosen: chosen, Left: q.tooMany(limit, len(sorted), slices.MaxFunc(chosen, q.prefer), rest)}, nil
}

// exchange makes the chosen clusters have room for all replicas: from the last one back, each is exchanged for the one
// with most room of the rest, if that has more, until it is enough. It returns the room that there is then.
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

// short is the problem of clusters that together have room for too few replicas.
func (q Question) short(limit constraint, clusters int, room int64) error {
	where, field := fmt.Sprintf("all %s that fit", counted(clusters, "cluster")), limit.field
	if clusters == limit.most {
		where, field = "at most "+counted(clusters, "cluster"), limit.field+".maxGroups"
	}
	return &Problem{
		Message: fmt.Sprintf("in %s there is room for %d of %s", where, room, counted(int(q.replicas()), "replica")),
		Field:   field,
	}
}
