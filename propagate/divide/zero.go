package divide

// zero divides no replicas: what is there stays there with 0, so that scaling to zero deletes nothing and does not
// spread the object further (DESIGN section 8, B40 and B41). When it is nowhere yet, every cluster gets it with 0.
//
// With static weights that is said of the clusters that have a weight: shares comes with the others refused, as they are
// with any total. By room, every candidate counts; but what is nowhere yet does not begin in an overflow affinity.
// Duplicated does not come here: there every candidate is a target with any total.
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
			shares[i].Refused, shares[i].Field = "0 replicas go to no further cluster", schedulingField
		case !there && c.Tier > first:
			shares[i].Refused, shares[i].Field = overflown, overflowField
		}
	}
	return shares
}
