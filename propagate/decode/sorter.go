package decode

import (
	"slices"
	"sort"

	"github.com/accord-dev/accord/render"
)

// Sorter sorts one build after the other. It decodes a manifest that two builds in a row share once. Nobody changes decoded values. The
// zero value is empty. A Sorter is not safe for concurrent use.
type Sorter struct {
	decoded map[written]any
	last    sorted // zero after a mistake
}

// sorted is the result of a sorter.
type sorted struct {
	list   []render.Object
	parts  Parts
	others []int // places in list of what is not among the objects of parts
	copied bool  // parts has its own list of objects
}

// Next works as Sort, for a list with these edits.
func (s *Sorter) Next(objects []render.Object, edits render.Edits) (Parts, error) {
	if next, is := s.last.next(objects, edits); is {
		parts := next.parts
		next.parts.Edits = render.Edits{} // which would keep the list before in memory
		s.last = next
		return parts, nil
	}
	return s.Sort(objects)
}

// next returns the result for a list that differs in some objects that the plan places. It returns false for every other list, and for
// CustomResourceDefinitions, which decide about the kinds of others.
func (s sorted) next(objects []render.Object, edits render.Edits) (sorted, bool) {
	spans, known := edits.Between(s.list, objects)
	if !known || len(s.parts.Objects) == 0 {
		return sorted{}, false
	}
	before := s.parts.Objects
	var changed, made []render.Object
	spans, others, was, grown := slices.Clone(spans), slices.Clone(s.others), 0, 0
	for i, x := range spans {
		at := sort.SearchInts(s.others, x.At) // among the others
		if at < sort.SearchInts(s.others, x.At+x.Out) || !s.copied && (x.At-at == 0 && x.Out == 0 || x.At-at == len(before)) {
			return sorted{}, false
		}
		in := objects[x.At+grown : x.At+grown+x.In]
		changed = append(append(changed, s.list[x.At:x.At+x.Out]...), in...)
		if grown += x.In - x.Out; x.In != x.Out {
			for n := range others[at:] {
				others[at+n] += x.In - x.Out
			}
		}
		spans[i].At -= at
		if s.copied {
			made, was = append(append(made, before[was:spans[i].At]...), in...), spans[i].At+x.Out
		}
	}
	if parts, err := Sort(changed); err != nil || len(parts.Objects) < len(changed) || len(definedKinds(changed)) > 0 || len(before)+grown == 0 {
		return sorted{}, false
	}
	if s.copied {
		s.parts.Objects = append(made, before[was:]...)
	} else {
		first := sort.Search(len(others), func(i int) bool { return others[i] > i }) // as many others come before the objects
		s.parts.Objects = objects[first : first+len(before)+grown : first+len(before)+grown]
	}
	s.parts.Edits = render.Edits{Before: before, After: s.parts.Objects, Spans: spans}
	s.list, s.others = objects, others
	return s, true
}
