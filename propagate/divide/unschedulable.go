package divide

// move lowers the previous replicas of sites that cannot schedule all of them (Karmada 4.11), by no more than the other sites have room
// for beside the missing replicas. These sites, and those that failed before, get no replica in this division: their free resources
// are not on nodes that fit. Without room elsewhere, the division is as usual.
func (r Request) move(sites []site) {
	stuck, spare := int64(0), -max(0, int64(r.Total)-had(sites))
	for _, s := range sites {
		if s.unschedulable == 0 && !s.failed {
			spare += s.room
		}
		stuck += s.unschedulable
	}
	if stuck == 0 || spare <= 0 {
		return
	}
	for i := range sites {
		if s := &sites[i]; s.unschedulable > 0 || s.failed {
			s.moved = min(s.unschedulable, spare)
			s.had, s.room, spare = s.had-s.moved, 0, spare-s.moved
		}
	}
}
