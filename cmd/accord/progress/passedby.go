package progress

import (
	"context"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// answer is the answer of a checkout: whether one commit contains another, and whether the checkout has both.
type answer struct{ contained, known bool }

// located returns the snapshot with the revisions of the hub, and for a commit without a Release whether the hub passed it by. The status
// of the Federation can have the commit a moment before its Release is there.
func (w *Wait) located(ctx context.Context, s Snapshot, fed *v1alpha1.Federation, releases []v1alpha1.Release) Snapshot {
	s.Commit, s.HubRevisions = w.Commit, hubRevisions(fed, releases)
	if s.Release != "" || len(s.HubRevisions) == 0 {
		return s
	}
	if slices.ContainsFunc(s.HubRevisions, func(revision string) bool { return strings.HasPrefix(text.CommitOf(revision), w.Commit) }) {
		return s
	}
	certain := true
	for _, revision := range s.HubRevisions {
		contained, known := w.contained(ctx, text.CommitOf(revision))
		if contained {
			s.PassedBy = text.ShortRevision(revision)
			return s
		}
		certain = certain && known
	}
	if !certain {
		s.Note = text.Join(", ", s.Note, "which may contain this commit: only a checkout with both commits shows it")
	}
	return s
}

// contained reports whether the history of a commit of the hub contains the commit to wait for, and whether that is known. It
// asks the checkout once for each commit.
func (w *Wait) contained(ctx context.Context, newer string) (contained, known bool) {
	if w.Contains == nil {
		return false, false
	}
	key := [2]string{newer, w.Commit}
	if _, asked := w.history[key]; !asked {
		if w.history == nil {
			w.history = map[[2]string]answer{}
		}
		var a answer
		a.contained, a.known = w.Contains(ctx, newer, w.Commit)
		w.history[key] = a
	}
	return w.history[key].contained, w.history[key].known
}

// hubRevisions returns the revision of each source that the federation has read last.
func hubRevisions(fed *v1alpha1.Federation, releases []v1alpha1.Release) []string {
	at := fed.Status.LastAttemptedRevision
	for i := range releases {
		if rel := &releases[i]; rel.Name == fed.Status.Release && rel.Spec.Revision == at {
			var all []string
			for _, s := range rel.Spec.Sources {
				all = append(all, s.Revision)
			}
			return all
		}
	}
	if at == "" {
		return nil
	}
	return []string{at}
}

// findRelease returns the Release of a commit, given by its first digits, and nil if there is none yet. With several sources one

// newest returns the commit that the hub has read last; empty if there is none yet, or if it is this one.
func (s Snapshot) newest() string {
	if len(s.HubRevisions) == 0 || strings.HasPrefix(text.CommitOf(s.HubRevisions[0]), s.Commit) {
		return ""
	}
	return text.CommitOf(s.HubRevisions[0])
}
