package state

import (
	"iter"
	"unique"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// want is what the plan wants of one object on one cluster.
type want struct {
	digest string // empty if the object could not be rendered
	held   string
	err    string // of rendering
	object *propagate.Rendered
	// implied marks a namespace that is only there for its objects. It may belong to another Federation, so it does not
	// count unless it cannot be created.
	implied bool
	// planned is what the plan wants where a rollback delivers an older version; nil elsewhere.
	planned *want
}

// decided returns what the active plan wants, whatever a rollback delivers for now.
func (w want) decided() want {
	if w.planned != nil {
		return *w.planned
	}
	return w
}

// drifted reports whether an object that is to be there differs from the wanted one. seen is the zero value if the
// object is absent.
func (w want) drifted(seen live.Object) bool {
	return w.digest != "" && w.held == "" && (seen.Digest != w.digest || !seen.Intact)
}

// wants are those of one cluster. Many clusters have the same wants, which are in memory once.
type wants map[unique.Handle[manifest.ID]]unique.Handle[want]

// of returns the zero want for an object that nothing is decided about.
func (w wants) of(id manifest.ID) want {
	found, _ := w.get(id)
	return found
}

// get returns false if nothing is decided about an object.
func (w wants) get(id manifest.ID) (want, bool) {
	known, ok := w[unique.Make(id)]
	if !ok {
		return want{}, false
	}
	return known.Value(), true
}

// has reports whether anything is decided about an object.
func (w wants) has(id manifest.ID) bool {
	_, ok := w[unique.Make(id)]
	return ok
}

func (w wants) set(id manifest.ID, to want) { w[unique.Make(id)] = unique.Make(to) }

// all returns every want, in no order.
func (w wants) all() iter.Seq2[manifest.ID, want] {
	return func(yield func(manifest.ID, want) bool) {
		for id, known := range w {
			if !yield(id.Value(), known.Value()) {
				return
			}
		}
	}
}
