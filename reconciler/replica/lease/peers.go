package lease

import (
	"slices"
	"time"
)

// sighting is the last record of one other member.
type sighting struct {
	record  record
	changed time.Time // by the own clock, not before the change took place
}

// sight has the other members as one replica last read their Leases.
type sight map[member]sighting

// look takes in what a LIST said that was sent at began and answered at answered. A change took place before the answer,
// and what the list says was still so after it was sent; both times are taken on the side on which a member lives
// longer, so that a list that was long under way makes nobody dead.
func (s sight) look(records []record, began, answered time.Time, duration time.Duration) {
	for _, r := range records {
		if known, ok := s[r.member]; !ok || known.record.version != r.version {
			s[r.member] = sighting{record: r, changed: answered}
		}
	}
	for m, known := range s {
		if !slices.ContainsFunc(records, func(r record) bool { return r.member == m }) && known.forgotten(records, began, duration) {
			delete(s, m)
		}
	}
}

// forgotten says whether a member without a Lease is gone. One whose Lease somebody deleted by hand holds on to its
// clusters and writes the Lease again, so it lives until its time is over, like one whose Lease did not change. One whose
// Lease another incarnation took over was found dead, or to have left, by that one.
func (k sighting) forgotten(records []record, began time.Time, duration time.Duration) bool {
	return k.record.left || began.Sub(k.changed) >= duration ||
		slices.ContainsFunc(records, func(r record) bool { return r.uid == k.record.uid })
}

// live are the members of which a list sent at began does not prove that they hold nothing any more.
func (s sight) live(began time.Time, duration time.Duration) []member {
	var all []member
	for m, known := range s {
		if !known.record.left && began.Sub(known.changed) < duration {
			all = append(all, m)
		}
	}
	return all
}

// over are the records that serve nobody any more: of members that left, once everybody has had the time to see it, and of
// those that died long ago.
func (s sight) over(began time.Time, duration time.Duration) []record {
	var all []record
	for _, known := range s {
		quiet := began.Sub(known.changed)
		if quiet >= longOver*duration || known.record.left && quiet >= duration {
			all = append(all, known.record)
		}
	}
	return all
}

// longOver is after how many durations without a sign the Lease of a dead member is deleted.
const longOver = 10

// agree says whether the records show every member of the set to act on exactly the set.
func agree(records []record, members set) bool {
	want := members.String()
	return !slices.ContainsFunc(members, func(m member) bool {
		return !slices.ContainsFunc(records, func(r record) bool { return r.member == m && !r.left && r.actsOn == want })
	})
}
