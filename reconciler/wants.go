package reconciler

import (
	"iter"
	"unique"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// want is what the plan wants of one object on one cluster.
type want struct {
	digest string // empty when it could not be rendered
	held   string
	err    string // of rendering
	object *propagate.Rendered
	// implied: a namespace that is only there for its objects. It may be another federation's, so it counts for nothing
	// unless it cannot be made.
	implied bool
	// planned is what the plan wants where a rollback gives an older version back; nil elsewhere.
	planned *want
}

// decided is what the plan in force wants, whatever is given back for now.
func (w want) decided() want {
	if w.planned != nil {
		return *w.planned
	}
	return w
}

// wants are those of one cluster. Wants of many clusters are the same, and in memory once.
type wants map[unique.Handle[manifest.ID]]unique.Handle[want]

// of is the zero want of an object that nothing is decided about.
func (w wants) of(id manifest.ID) want {
	found, _ := w.get(id)
	return found
}

// get is false when nothing is decided about an object.
func (w wants) get(id manifest.ID) (want, bool) {
	known, ok := w[unique.Make(id)]
	if !ok {
		return want{}, false
	}
	return known.Value(), true
}

// has says that something is decided about an object.
func (w wants) has(id manifest.ID) bool {
	_, ok := w[unique.Make(id)]
	return ok
}

func (w wants) set(id manifest.ID, to want) { w[unique.Make(id)] = unique.Make(to) }

// all of them, in no order.
func (w wants) all() iter.Seq2[manifest.ID, want] {
	return func(yield func(manifest.ID, want) bool) {
		for id, known := range w {
			if !yield(id.Value(), known.Value()) {
				return
			}
		}
	}
}
