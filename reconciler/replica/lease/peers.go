package lease

import (
	"slices"
	"time"
)

// obsoleteAfter is the number of durations without a renewal after which the Lease of a dead member is deleted.
const obsoleteAfter = 10

// peer is another member with its last record.
type peer struct {
	record  record
	changed time.Time // by the own clock, not before the change took place
	read    time.Time // start of the last LIST that had the Lease
	missing bool      // the last LIST did not have the Lease
}

// peers has the other members as one replica last read their Leases.
type peers map[member]peer

// observe records the answer of a LIST that was sent at began and answered at answered. A change took place before the answer, and
// an unchanged Lease was unchanged until the LIST was sent. Both times are chosen so that a member lives longer: a slow LIST
// makes no member dead.
func (p peers) observe(records []record, began, answered time.Time, duration time.Duration) {
	for _, r := range records {
		known, ok := p[r.member]
		if !ok || known.missing || known.record.version != r.version {
			known = peer{record: r, changed: answered}
		}
		known.read = began
		p[r.member] = known
	}
	for m, known := range p {
		switch {
		case slices.ContainsFunc(records, func(r record) bool { return r.member == m }):
		case known.isGone(records, began, duration):
			delete(p, m)
		case !known.missing:
			known.missing, known.changed = true, answered
			p[m] = known
		}
	}
}

// isGone reports whether a member without a Lease is gone. A member whose Lease somebody deleted keeps its clusters and writes the
// Lease again. It may have renewed the Lease until the deletion, unseen, so it lives for a duration from the first LIST without
// the Lease. A member that was dead when its Lease was last read stays dead. If another incarnation took the Lease over, that one
// has found the member dead or left.
func (k peer) isGone(records []record, began time.Time, duration time.Duration) bool {
	if k.record.left || slices.ContainsFunc(records, func(r record) bool { return r.uid == k.record.uid }) {
		return true
	}
	if k.missing {
		return began.Sub(k.changed) >= duration
	}
	return k.read.Sub(k.changed) >= duration
}

// alive returns the members that may still own clusters, as far as a list sent at began shows.
func (p peers) alive(began time.Time, duration time.Duration) []member {
	var all []member
	for m, known := range p {
		if !known.record.left && began.Sub(known.changed) < duration {
			all = append(all, m)
		}
	}
	return all
}

// obsolete returns the records of members that left, once every replica has had the time to see that, and of members that died
// long ago.
func (p peers) obsolete(began time.Time, duration time.Duration) []record {
	var all []record
	for _, known := range p {
		unchanged := began.Sub(known.changed)
		if unchanged >= obsoleteAfter*duration || known.record.left && unchanged >= duration {
			all = append(all, known.record)
		}
	}
	return all
}

// agree reports whether the records show that every member of the set acts on exactly the set.
func agree(records []record, members set) bool {
	want := members.String()
	return !slices.ContainsFunc(members, func(m member) bool {
		return !slices.ContainsFunc(records, func(r record) bool { return r.member == m && !r.left && r.actsOn == want })
	})
}
