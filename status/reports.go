package status

import (
	"iter"
	"unique"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/kind"
)

// Reports are those of one cluster, one for every object, in little space: common parts share their memory. They are
// not safe for concurrent use.
type Reports struct {
	of map[unique.Handle[manifest.ID]]storedReport
}

type storedReport struct {
	said       unique.Handle[sharedReport]
	generation int64
	times      string // of the Reflected
}

// sharedReport is the part of a Report that many objects have in common.
type sharedReport struct {
	digest        string
	behind        int64 // the generations after the observed one
	observes      bool
	health        kind.Health
	message       string
	unschedulable v1alpha1.UnschedulableReplicas
	shape         unique.Handle[string] // of the Reflected
}

// Get returns the report of an object; false if there is none.
func (r *Reports) Get(id manifest.ID) (Report, bool) {
	kept, known := r.of[unique.Make(id)]
	if !known {
		return Report{}, false
	}
	s := kept.said.Value()
	return Report{
		Digest: s.digest, Generation: kept.generation, ObservedGeneration: kept.generation - s.behind, Observes: s.observes,
		Health: s.health, Message: s.message, Unschedulable: s.unschedulable, Status: Reflected{s.shape, kept.times},
	}, true
}

// Put replaces the report of an object.
func (r *Reports) Put(id manifest.ID, report Report) {
	if r.of == nil {
		r.of = map[unique.Handle[manifest.ID]]storedReport{}
	}
	r.of[unique.Make(id)] = storedReport{
		said: unique.Make(sharedReport{
			report.Digest, report.Generation - report.ObservedGeneration, report.Observes, report.Health, report.Message, report.Unschedulable, report.Status.shape,
		}),
		generation: report.Generation, times: report.Status.times,
	}
}

// Delete removes the report of an object.
func (r *Reports) Delete(id manifest.ID) { delete(r.of, unique.Make(id)) }

// Clear removes all reports.
func (r *Reports) Clear() { clear(r.of) }

// IDs returns the objects with a report. They may be deleted meanwhile.
func (r *Reports) IDs() iter.Seq[manifest.ID] {
	return func(yield func(manifest.ID) bool) {
		for id := range r.of {
			if !yield(id.Value()) {
				return
			}
		}
	}
}
