// Package releases holds the Releases of a Federation, as they are to be on the hub.
package releases

import (
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// State has the Releases of a Federation.
type State struct {
	// Newest is the Release of the active plan, of a pending one, or of a commit that could not be planned; nil before the first.
	Newest *v1alpha1.Release
	// Dirty is set while the status of Newest differs from the written one.
	Dirty bool
	// Begun is set while the hub has Newest as Begin returned it: without the digest of its plan. The digest is written with the first
	// status.
	Begun bool
	// Older are all others, the newest first.
	Older []v1alpha1.Release

	// begins is a Release that is to be written before its revision is planned; nil for none. begun are those that the hub has, without
	// their digests; the newest last.
	begins *v1alpha1.Release
	begun  []*v1alpha1.Release
	// undigested has the names of older Releases that the hub has without their digests.
	undigested map[string]bool
}

// New returns a State without a newest Release.
func New() State { return State{undigested: map[string]bool{}} }

// All returns all Releases, newest first.
func (s *State) All() []*v1alpha1.Release {
	var all []*v1alpha1.Release
	if s.Newest != nil {
		all = append(all, s.Newest)
	}
	for i := range s.Older {
		all = append(all, &s.Older[i])
	}
	return all
}

// Generation returns the generation of Newest with its digest.
func (s *State) Generation() int64 {
	if s.Begun {
		return s.Newest.Generation + 1
	}
	return s.Newest.Generation
}

// Begin notes a Release whose revision is about to be planned. It notes none before the first plan of a process, and none that the hub
// has.
func (s *State) Begin(release *v1alpha1.Release) (noted bool) {
	known := func(r *v1alpha1.Release) bool { return r.Name == release.Name }
	if s.Newest == nil || slices.ContainsFunc(s.All(), known) || slices.ContainsFunc(s.begun, known) {
		return false
	}
	s.begins = release
	return true
}

// TakeBegin returns the Release to write, once; nil if there is none, or if it is written with its digest meanwhile.
func (s *State) TakeBegin() *v1alpha1.Release {
	release := s.begins
	s.begins = nil
	return release
}

// NoteBegun records that the hub has a Release that TakeBegin returned.
func (s *State) NoteBegun(release *v1alpha1.Release) {
	s.begun = append(s.begun, release)
	if s.Newest.Name == release.Name {
		s.takeOver()
	}
}

// takeOver gives the newest Release what the hub gave the begun one of the same name. It returns all other begun ones, newest first.
func (s *State) takeOver() (others []v1alpha1.Release) {
	r := s.Newest
	for _, b := range slices.Backward(s.begun) {
		if b.Name == r.Name {
			r.UID, r.Generation, r.CreationTimestamp, s.Begun = b.UID, b.Generation, b.CreationTimestamp, true
		} else {
			others = append(others, *b)
		}
	}
	s.begun = slices.DeleteFunc(s.begun, func(b *v1alpha1.Release) bool { return b.Name == r.Name })
	return others
}

// Succeed makes a Release the newest. A Release that was there before (the same commit after a force-push back, or after a restart)
// continues from its status. Begun ones whose revisions were not planned in the end become older ones.
func (s *State) Succeed(release *v1alpha1.Release) {
	if s.Newest != nil {
		s.Older = slices.Insert(s.Older, 0, *s.Newest)
		if s.Begun {
			s.undigested[s.Newest.Name] = true
		}
	}
	i := slices.IndexFunc(s.Older, func(r v1alpha1.Release) bool { return r.Name == release.Name })
	if i >= 0 {
		old := s.Older[i]
		release.Status, release.Generation, release.UID, release.Spec.PlanDigest = old.Status, old.Generation, old.UID, old.Spec.PlanDigest
		s.Older = slices.Delete(s.Older, i, i+1)
	}
	s.Newest, s.Dirty, s.Begun = release, i > 0 || i == 0 && s.Dirty, s.undigested[release.Name] // a status that was computed and not written is not lost
	s.NoteDigest(release.Name)
	s.Older, s.begun = slices.Insert(s.Older, 0, s.takeOver()...), nil
}

// IsUndigested reports whether the hub has an older Release without the digest of its plan.
func (s *State) IsUndigested(name string) bool { return s.undigested[name] }

// NoteDigest records that the hub has an older Release with its digest.
func (s *State) NoteDigest(name string) { delete(s.undigested, name) }

// Acknowledge takes over the answer of the hub to a write of the spec of a Release. It returns false for another one than the newest.
func (s *State) Acknowledge(o *v1alpha1.Release) bool {
	r := s.Newest
	if r.Name != o.Name {
		if i := slices.IndexFunc(s.Older, func(r v1alpha1.Release) bool { return r.Name == o.Name }); i >= 0 {
			s.Older[i].Generation = o.Generation
			s.NoteDigest(o.Name)
		}
		return false
	}
	r.Generation, r.UID, r.CreationTimestamp = o.Generation, o.UID, o.CreationTimestamp
	s.Begun = s.Begun && o.Spec.PlanDigest != r.Spec.PlanDigest
	return true
}
