package place

import "math"

// stays keeps a workload that is divided by room on its clusters if nothing changes: they have all its replicas, and
// the constraints allow them. Karmada does not schedule such a workload again (§4.11): a new cluster, or changing room,
// moves nothing. Everything else is selected again each time, and so is a Fresh question.
func (q Question) stays(sorted []Candidate, region, cluster constraint) (s Selection, ok bool) {
	if !q.Workload || !q.dynamic() || q.Fresh {
		return Selection{}, false
	}
	var replicas int64
	in := map[string]bool{}
	for _, c := range sorted {
		if c.Chosen {
			s.Chosen = append(s.Chosen, c)
			replicas += int64(c.Before)
			in[c.Cluster.Region] = true
			continue
		}
		s.NotChosen = append(s.NotChosen, NotChosen{
			Cluster: c.Cluster.Name,
			Why:     "is left out: all replicas stay where they are, as the constraints allow",
			Field:   "spreadConstraints",
			Reason:  Stays,
		})
	}
	if region.there {
		cluster.most = max(cluster.most, len(in)) // each region has one
	}
	return s, replicas == int64(q.Total) && cluster.allows(len(s.Chosen)) && (!region.there || region.allows(len(in)))
}

// afterPlacing returns the candidates as they will be with the object on the chosen clusters only. A copy uses room; if
// replicas are divided, their distribution does not matter, because existing replicas count as room too.
func (q Question) afterPlacing(candidates, chosen []Candidate) []Candidate {
	is := map[string]bool{}
	for _, c := range chosen {
		is[c.Cluster.Name] = true
	}
	settled := make([]Candidate, len(candidates))
	for i, c := range candidates {
		room := int64(c.Room) + int64(c.Before)
		c.Chosen, c.Before = is[c.Cluster.Name], 0
		if c.Chosen && !q.divided() {
			c.Before = q.replicas()
			room = max(0, room-int64(c.Before))
		}
		c.Room = int32(min(room, math.MaxInt32))
		settled[i] = c
	}
	return settled
}
