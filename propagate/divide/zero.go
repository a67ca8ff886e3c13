package divide

import "slices"

// zero divides no replicas: what is there stays there with 0, so that scaling to zero deletes nothing and does not
// spread the object further (DESIGN section 8, B40 and B41). When it is nowhere yet, every cluster gets it with 0.
//
// With static weights that is said of the clusters that have a weight: shares comes with the others refused, and they
// are refused whatever the total. By room, every candidate counts. Duplicated does not come here: there every candidate
// is a target with any total.
func zero(r Request, shares []Share) []Share {
	stays := func(i int) bool { return shares[i].Refused == "" && r.Candidates[i].Chosen }
	indices := make([]int, len(shares))
	for i := range shares {
		indices[i] = i
	}
	if !slices.ContainsFunc(indices, stays) {
		return shares
	}
	for i := range shares {
		if shares[i].Refused == "" && !stays(i) {
			shares[i].Refused, shares[i].Field = "0 replicas go to no further cluster", schedulingField
		}
	}
	return shares
}
