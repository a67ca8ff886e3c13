package place

import "math"

// stays keeps a workload that is divided by room on the clusters that it is on when nothing about it is to change: they
// have all its replicas, and the constraints allow them. Karmada does not look at such a workload again (§4.11): a new
// cluster, or room that comes and goes, moves nothing. Everything else is selected anew each time, and so is what is
// Fresh.
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
		s.Left = append(s.Left, Left{
			Cluster: c.Cluster.Name,
			Why:     "is left out: all replicas stay where they are, as the constraints allow",
			Field:   "spreadConstraints",
		})
	}
	if region.there {
		cluster.most = max(cluster.most, len(in)) // each region has one
	}
	return s, replicas == int64(q.Total) && cluster.allows(len(s.Chosen)) && (!region.there || region.allows(len(in)))
}

// settled is how the candidates are once the object is on the chosen ones and nowhere else. A copy takes room; when
// replicas are divided it does not matter which cluster has them, as what a cluster has counts as room, too.
func (q Question) settled(candidates, chosen []Candidate) []Candidate {
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
