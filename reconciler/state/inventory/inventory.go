// Package inventory divides the inventory of a cluster into parts, which the hub stores as objects of their own, and puts the
// parts together again.
//
// The parts are sorted ranges of entries. A commit adds or removes neighbours (the objects of one namespace), so it changes
// few parts, and a part that becomes too large is split without a change of any other part. After each write of Next, in any
// interrupted state, the parts on the hub still cover every entry: a part is created before another one gives entries away,
// and deleted after another one took them over. A first recording is incomplete until its end: a process that reads it before
// asks the cluster for its objects.
package inventory

import (
	"maps"
	"slices"
)

const (
	// maxEntries bounds the entries of a part. An entry has 45 bytes in most cases and 650 at most: a part is far below the
	// 1.5 MB that etcd accepts.
	maxEntries = 1000
	// fillEntries is the size of the parts that a larger one is split into.
	fillEntries = maxEntries / 2
	// minEntries is the size of two neighbours that are joined.
	minEntries = maxEntries / 4
)

// Part is a part of an inventory: the entries from From, inclusive, to To, exclusive. An empty To is no bound.
type Part struct {
	From, To string
	// Entries are sorted. They belong to the whole inventory and must not be changed.
	Entries []string
}

// Recorded is an inventory as the hub has it. It is a value: its methods return another one. The zero value is an inventory
// without parts.
type Recorded struct {
	entries []string
	froms   []string        // of the parts, sorted
	doubts  map[string]bool // suffixes of the names of parts that the hub may have, with other entries
}

// Entries returns all entries, sorted. The caller must not change them.
func (r Recorded) Entries() []string { return r.entries }

// Parts returns the parts, sorted.
func (r Recorded) Parts() []Part {
	all := make([]Part, len(r.froms))
	for i, from := range r.froms {
		all[i].From = from
		if i+1 < len(r.froms) {
			all[i].To = r.froms[i+1]
		}
		all[i].Entries = between(r.entries, all[i].From, all[i].To)
	}
	return all
}

// Doubt returns the inventory with parts that have to be written again: the hub may have them with other entries, or not at
// all.
func (r Recorded) Doubt(suffixes ...string) Recorded {
	doubts := map[string]bool{}
	maps.Copy(doubts, r.doubts)
	for _, suffix := range suffixes {
		doubts[suffix] = true
	}
	r.doubts = doubts
	return r
}

// DoubtAll returns the inventory with all parts in doubt.
func (r Recorded) DoubtAll() Recorded {
	suffixes := make([]string, len(r.froms))
	for i, from := range r.froms {
		suffixes[i] = Suffix(from)
	}
	return r.Doubt(suffixes...)
}

// WithoutEntries returns an inventory of which only the names of the parts are known: they are deleted, or written again.
func (r Recorded) WithoutEntries() Recorded {
	return Recorded{}.Doubt(slices.Collect(maps.Keys(r.DoubtAll().doubts))...)
}

// Has reports whether the hub has exactly some sorted entries.
func (r Recorded) Has(entries []string) bool {
	return len(r.doubts) == 0 && len(r.entries) == len(entries) &&
		(len(entries) == 0 || &r.entries[0] == &entries[0] || slices.Equal(r.entries, entries))
}

// Step has writes that may be made in any order.
type Step struct {
	// Puts are created or updated.
	Puts []Part
	// Deletes are the suffixes of parts.
	Deletes []string
}

// suffixes returns the suffixes of all parts that are written or deleted.
func suffixes(steps []Step) (all []string) {
	for _, step := range steps {
		all = append(all, step.Deletes...)
		for _, p := range step.Puts {
			all = append(all, Suffix(p.From))
		}
	}
	return all
}

// Next returns the inventory with other entries, which are sorted, and the steps that lead to it, one after the other. Only
// parts whose entries changed are written.
func (r Recorded) Next(entries []string) (Recorded, []Step) {
	if r.Has(entries) {
		return r, nil
	}
	before := r.Parts()
	next := Recorded{entries: entries, froms: divide(before, entries)}
	if len(before) == 0 && len(entries) > 0 {
		next.froms = append([]string{""}, split(entries)...)
	}
	var created, updated []Part
	keeps := map[string]bool{}
	for _, p := range next.Parts() {
		keeps[Suffix(p.From)] = true
		i, known := slices.BinarySearch(r.froms, p.From)
		switch {
		case !known:
			created = append(created, p)
		case before[i].To != p.To || !slices.Equal(before[i].Entries, p.Entries) || r.doubts[Suffix(p.From)]:
			updated = append(updated, p)
		}
	}
	if len(before) == 0 { // parts of an interrupted recording must not complete these
		return next, []Step{{Deletes: slices.Sorted(maps.Keys(r.doubts))}, {Puts: created}}
	}
	gone := map[string]bool{}
	for suffix := range r.DoubtAll().doubts {
		if !keeps[suffix] {
			gone[suffix] = true
		}
	}
	return next, []Step{{Puts: created}, {Puts: updated}, {Deletes: slices.Sorted(maps.Keys(gone))}}
}

// divide returns the beginnings of the next parts: those of the parts before, without those of parts that are joined with the
// one before, and with those of parts that are split.
func divide(before []Part, entries []string) []string {
	var froms []string
	last, changedLast := 0, false // the size of the part before, and whether it changed
	for i, p := range before {
		now := between(entries, p.From, p.To)
		changed := !slices.Equal(now, p.Entries)
		if i > 0 && (changed || changedLast) && last+len(now) <= minEntries {
			last, changedLast = last+len(now), true
			continue
		}
		froms, last, changedLast = append(froms, p.From), len(now), changed
		if changed && len(now) > maxEntries {
			more := split(now)
			froms = append(froms, more...)
			last = len(now) / (len(more) + 1)
		}
	}
	return froms
}

// split returns the beginnings of the parts that entries are split into, except the first one.
func split(entries []string) []string {
	if len(entries) <= maxEntries {
		return nil
	}
	n := (len(entries) + fillEntries - 1) / fillEntries
	var froms []string
	for i := 1; i < n; i++ {
		froms = append(froms, entries[i*len(entries)/n])
	}
	return froms
}

// between returns the entries from one bound, inclusive, to another, exclusive, which is none if it is empty.
func between(entries []string, from, to string) []string {
	begin, _ := slices.BinarySearch(entries, from)
	end := len(entries)
	if to != "" {
		end, _ = slices.BinarySearch(entries, to)
	}
	return entries[begin:end]
}

// Sorted returns entries in order and once each: the same list, if it is so. A record that somebody edited may have any order.
func Sorted(entries []string) []string {
	for i := 1; i < len(entries); i++ {
		if entries[i-1] >= entries[i] {
			return slices.Compact(slices.Sorted(slices.Values(entries)))
		}
	}
	return entries
}

// Union returns the entries of two sorted lists, sorted: one of the two, if it has all.
func Union(a, b []string) []string {
	if len(b) == 0 || len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] {
		return a
	}
	all := make([]string, 0, max(len(a), len(b)))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			all = append(all, a[i])
			i++
		case i == len(a) || b[j] < a[i]:
			all = append(all, b[j])
			j++
		default:
			all = append(all, a[i])
			i, j = i+1, j+1
		}
	}
	switch len(all) {
	case len(a):
		return a
	case len(b):
		return b
	}
	return all
}
