package status

import (
	"iter"
	"unique"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind"
)

// Reports are those of one cluster, one for every object that it has, in little space: what many of them have in common is in
// memory once. They may not be used from several places at once.
type Reports struct {
	of map[unique.Handle[manifest.ID]]storedReport
}

// storedReport is a Report.
type storedReport struct {
	said                           unique.Handle[sharedReport]
	generation, observedGeneration int64
	times                          string // of the Reflected
}

// sharedReport is what of a Report many have in common.
type sharedReport struct {
	digest   string
	observes bool
	health   kind.Health
	message  string
	shape    unique.Handle[string] // of the Reflected
}

// Get is false when nothing was said of the object.
func (r *Reports) Get(id manifest.ID) (Report, bool) {
	kept, known := r.of[unique.Make(id)]
	if !known {
		return Report{}, false
	}
	s := kept.said.Value()
	return Report{
		Digest: s.digest, Generation: kept.generation, ObservedGeneration: kept.observedGeneration, Observes: s.observes,
		Health: s.health, Message: s.message, Status: Reflected{s.shape, kept.times},
	}, true
}

// Put replaces what was said of the object.
func (r *Reports) Put(id manifest.ID, report Report) {
	if r.of == nil {
		r.of = map[unique.Handle[manifest.ID]]storedReport{}
	}
	r.of[unique.Make(id)] = storedReport{
		said:       unique.Make(sharedReport{report.Digest, report.Observes, report.Health, report.Message, report.Status.shape}),
		generation: report.Generation, observedGeneration: report.ObservedGeneration, times: report.Status.times,
	}
}

// Delete forgets one object.
func (r *Reports) Delete(id manifest.ID) { delete(r.of, unique.Make(id)) }

// Clear forgets all.
func (r *Reports) Clear() { clear(r.of) }

// IDs are the objects of which something was said. They may be deleted meanwhile.
func (r *Reports) IDs() iter.Seq[manifest.ID] {
	return func(yield func(manifest.ID) bool) {
		for id := range r.of {
			if !yield(id.Value()) {
				return
			}
		}
	}
}
