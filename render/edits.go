package render

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/internal/compact"
)

// Shared has the parts that a build takes over from the build before it, and the differences between both.
type Shared struct {
	// Texts has the manifests in compact form; nil to have them whole.
	Texts *compact.Texts
	// Edits are the differences between the lists of objects of both builds; the zero value if they are unknown.
	Edits Edits
}

// Edits are the differences between two lists of objects, which nobody changes.
type Edits struct {
	Before, After []Object
	Spans         []Span // in the order of the lists; all other objects are the same
}

// Span is a place where two lists differ: from place At of the first list, Out objects are replaced by In others.
type Span struct{ At, Out, In int }

// differences compares two lists, which are sorted by the paths of their objects. Objects that are not one in memory differ.
func differences(before, after []Object) Edits {
	e, i, j := Edits{Before: before, After: after}, 0, 0
	for i < len(before) || j < len(after) {
		for i < len(before) && j < len(after) && before[i] == after[j] {
			i, j = i+1, j+1
		}
		// A path can have many objects, of which the first ones may be the same.
		out, in := 0, 0
		switch {
		case i < len(before) && (j == len(after) || before[i].Origin.Path <= after[j].Origin.Path):
			out, in = samePath(before[i:], before[i].Origin.Path), samePath(after[j:], before[i].Origin.Path)
		case j < len(after):
			in = samePath(after[j:], after[j].Origin.Path)
		}
		if out+in > 0 {
			e.Spans = append(e.Spans, Span{i, out, in})
		}
		i, j = i+out, j+in
	}
	return e
}

// samePath returns how many objects at the beginning of a list have a path.
func samePath(list []Object, path string) (n int) {
	for n < len(list) && list[n].Origin.Path == path {
		n++
	}
	return n
}

// Between returns the places where two lists differ, with more places of the first one, each of which it has already, or has the same
// object in both. If the edits are not those of these lists, it is one place with everything.
func (e Edits) Between(before, after []Object, more ...int) (spans []Span, known bool) {
	if !sameList(e.Before, before) || !sameList(e.After, after) {
		return []Span{{0, len(before), len(after)}}, false
	}
	spans = slices.Clip(e.Spans)
	for _, at := range slices.Compact(slices.Sorted(slices.Values(more))) {
		if !slices.ContainsFunc(e.Spans, func(x Span) bool { return x.At <= at && at < x.At+x.Out }) {
			spans = append(spans, Span{at, 1, 1})
		}
	}
	if len(more) > 0 { // behind what is inserted there
		slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Compare(a.At, b.At) })
	}
	return spans, true
}

// sameList reports whether two lists are one in memory.
func sameList(a, b []Object) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// TakeEdits returns the differences between the lists of the last build and of the build before it, once.
func (m *Cache) TakeEdits() Edits {
	e := m.edits
	m.edits = Edits{}
	return e
}

// Joined is the list of the objects of several builds. The zero value is that of none.
type Joined struct {
	list  []Object
	parts [][]Object
}

// Next returns the list of the objects of all builds, and its differences from the list before. edits are those of each build.
func (j *Joined) Next(parts [][]Object, edits []Edits) ([]Object, Edits) {
	if len(parts) == 1 {
		return parts[0], edits[0]
	}
	spans, known := j.spans(parts, edits)
	before := j.list
	if j.parts = parts; !known || len(spans) > 0 {
		j.list = slices.Concat(parts...)
	}
	if !known {
		return j.list, Edits{}
	}
	return j.list, Edits{before, j.list, spans}
}

// spans returns the places where the list of all objects differs from the one before; false if they are unknown.
func (j *Joined) spans(parts [][]Object, edits []Edits) (all []Span, known bool) {
	if len(j.parts) != len(parts) {
		return nil, false
	}
	from := 0
	for i, part := range parts {
		before := j.parts[i]
		if !sameList(before, part) && len(before)+len(part) > 0 {
			spans, known := edits[i].Between(before, part)
			if !known {
				return nil, false
			}
			for _, x := range spans {
				all = append(all, Span{from + x.At, x.Out, x.In})
			}
		}
		from += len(before)
	}
	return all, true
}
