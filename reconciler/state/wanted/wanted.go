// Package wanted holds the decision of the plan about each object on a cluster.
package wanted

import (
	"iter"
	"unique"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Object is the decision of the plan about one object on one cluster.
type Object struct {
	Digest string // empty if the object could not be rendered
	Held   string
	Err    string // of rendering
	Object *propagate.Rendered
	// Implied marks a namespace that is only there for its objects. It may belong to another Federation, so it does not
	// count unless it cannot be created.
	Implied bool
	// Planned is the decision of the plan where a rollback delivers an older version; nil elsewhere.
	Planned *Object
}

// Decided returns the decision of the active plan, also where a rollback delivers another version.
func (w Object) Decided() Object {
	if w.Planned != nil {
		return *w.Planned
	}
	return w
}

// Drifted reports whether an object that is to be there differs from the wanted one. seen is the zero value if the
// object is absent.
func (w Object) Drifted(seen live.Object) bool {
	return w.Digest != "" && w.Held == "" && (seen.Digest != w.Digest || !seen.Intact)
}

// Objects are those of one cluster. Many clusters have the same wants, which are in memory once.
type Objects map[unique.Handle[manifest.ID]]unique.Handle[Object]

// Of returns the zero want for an object that nothing is decided about.
func (w Objects) Of(id manifest.ID) Object {
	found, _ := w.Get(id)
	return found
}

// Get returns false if nothing is decided about an object.
func (w Objects) Get(id manifest.ID) (Object, bool) {
	known, ok := w[unique.Make(id)]
	if !ok {
		return Object{}, false
	}
	return known.Value(), true
}

func (w Objects) Set(id manifest.ID, to Object) { w[unique.Make(id)] = unique.Make(to) }

// Delete forgets an object.
func (w Objects) Delete(id manifest.ID) { delete(w, unique.Make(id)) }

// All returns every want, in no order.
func (w Objects) All() iter.Seq2[manifest.ID, Object] {
	return func(yield func(manifest.ID, Object) bool) {
		for id, known := range w {
			if !yield(id.Value(), known.Value()) {
				return
			}
		}
	}
}
