package status

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Cells counts the cells of one cluster, one for every object that was decided for it. The zero value has none. A change of
// one object costs as much as that object, and a status as much as the objects that are not simply healthy: only these are
// kept. Cells are not safe for concurrent use.
type Cells struct {
	// Total is the number of objects. The caller keeps it; Total objects that were never put are healthy.
	Total int

	special map[manifest.ID]special
	// held counts the objects that a suspension concerns, whether or not something is pending.
	held int
}

// special is an object that is not simply healthy, or that is held.
type special struct {
	item
	held bool
}

// CountCells returns the cells of a list, each of another object.
func CountCells(list []Cell) *Cells {
	c := &Cells{Total: len(list)}
	for _, cell := range list {
		c.Put(cell)
	}
	return c
}

// Put replaces the cell of an object, which Total has to include.
func (c *Cells) Put(cell Cell) {
	c.Forget(cell.Object)
	s := special{item: cell.item(""), held: cell.Held != ""}
	if s.isPlain() {
		return
	}
	if s.state != v1alpha1.Healthy { // else nobody asks for its name
		s.name = cell.Object.String()
	}
	if c.special == nil {
		c.special = map[manifest.ID]special{}
	}
	c.special[cell.Object] = s
	if s.held {
		c.held++
	}
}

// isPlain reports whether the status needs no more of an object than that it exists.
func (s special) isPlain() bool {
	return s.state == v1alpha1.Healthy && s.applied && s.written && !s.refused && !s.terminal && !s.mutated && !s.held
}

// Forget drops the cell of an object, which counts as healthy if Total includes it.
func (c *Cells) Forget(object manifest.ID) {
	if c.special[object].held {
		c.held--
	}
	delete(c.special, object)
}

// Clear drops all cells.
func (c *Cells) Clear() { *c = Cells{} }

// tally counts the objects.
func (c *Cells) tally() tally {
	items := func(yield func(item) bool) {
		for _, s := range c.special {
			if !yield(s.item) {
				return
			}
		}
	}
	return countBeside("objects", items, c.Total-len(c.special))
}

// allHeld reports whether there are objects, and every one is held.
func (c *Cells) allHeld() bool { return c.Total > 0 && c.held == c.Total }
