package divide

import "github.com/accord-dev/accord/propagate/place"

// zero divides no replicas: existing objects stay with 0, so that scaling to zero deletes nothing and does not spread
// the object further (DESIGN section 8, B40 and B41). A new object goes to every cluster with 0.
//
// With static weights this applies to the clusters with a weight: shares has refusals for the others, as with any
// total. By room, every candidate counts; but a new object does not start in an overflow affinity. Duplicated does not
// use zero: every candidate is a target with any total.
func zero(r Request, shares []Share) []Share {
	there, first := false, -1
	for i, c := range r.Candidates {
		if shares[i].Refused == "" {
			there = there || c.Chosen
			if first < 0 || c.Tier < first {
				first = c.Tier
			}
		}
	}
	for i, c := range r.Candidates {
		switch {
		case shares[i].Refused != "":
		case there && !c.Chosen:
			shares[i].refuse("0 replicas go to no further cluster", schedulingField, place.ZeroReplicas)
		case !there && c.Tier > first:
			shares[i].refuse(overflown, overflowField, place.NotNeeded)
		}
	}
	return shares
}
