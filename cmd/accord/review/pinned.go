package review

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/recovery"
)

// pinned returns a note for each live cluster that a RecoveryPlan of head pins at another revision than the one that was read. Only the
// controllers keep the objects of the pinned revision.
func (f *Options) pinned(head *side, k *load.HubSnapshot) (notes []string) {
	if head.tree == nil {
		return nil
	}
	for _, s := range head.federation.Spec.Sources {
		pinned := recovery.Pinned(head.tree.Input.Recoveries, s.Name)
		if s.Cluster == nil || pinned == "" || pinned == f.Tree.Live.Revision(s.Name) {
			continue
		}
		note := fmt.Sprintf("a RecoveryPlan pins source %q at %s, and only the controllers have these objects: this plan is about the objects of the cluster now", s.Name, text.ShortRevision(pinned))
		if k != nil && !delivered(k.Releases, s.Name, pinned) {
			note += "; no Release has that revision, so the controllers may reject the commit"
		}
		notes = append(notes, note)
	}
	return notes
}

// delivered reports whether a Release has a revision of a source.
func delivered(releases []v1alpha1.Release, name, revision string) bool {
	return slices.ContainsFunc(releases, func(r v1alpha1.Release) bool {
		return slices.ContainsFunc(r.Spec.Sources, func(s v1alpha1.SourceRevision) bool { return s.Name == name && s.Revision == revision })
	})
}
