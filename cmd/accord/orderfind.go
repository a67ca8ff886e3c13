package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// find is the one manifest that is meant.
func (f *orderFlags) find(w wanted) (*history, written, error) {
	h, err := openHistory(cmp.Or(f.dir, "."))
	if err != nil {
		return nil, written{}, err
	}
	if h.bare {
		return nil, written{}, errors.New("this Git repository has no work tree to edit")
	}
	below := "."
	if f.dir != "" {
		below = h.below
	}
	all, unread, err := h.manifests(below, w.kind)
	if err != nil {
		return nil, written{}, err
	}
	found := slices.DeleteFunc(slices.Clone(all), func(m written) bool { return !w.named(m) })
	switch len(found) {
	case 0:
		return nil, written{}, fmt.Errorf("%s%s", w.nowhere(all, h.root), unread)
	case 1:
		return h, found[0], nil
	}
	places := make([]string, len(found))
	for i, m := range found {
		places[i] = m.title() + " in " + m.place()
	}
	return nil, written{}, fmt.Errorf("which of these? %s (narrow it down by name, --dir or --kind)", fewOf(places, fewNames))
}
