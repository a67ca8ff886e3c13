package progress

import (
	"context"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/dependency"
	"github.com/accord-dev/accord/status"
)

// Refusal is the reason why accord does not start a commit.
type Refusal struct {
	// Message is empty if accord does not refuse the commit.
	Message string
	// Unverified: no allowed signer signed the commit.
	Unverified bool
}

// refusal returns the reason why the Federation does not start the commit. The reason counts after the controllers have handled the request
// of this wait. Without the right to send one, their last reading counts.
func (w *Wait) refusal(ctx context.Context, fed *v1alpha1.Federation, releases []v1alpha1.Release) Refusal {
	if !w.mayNotAsk && (w.request == "" || fed.Status.LastHandledReconcileAt != w.request) {
		return Refusal{}
	}
	if c := Condition(fed.Status.Conditions, fed.Generation, v1alpha1.SourceVerified); isFalse(c) && fed.Status.RefusedRevision != "" {
		refused := text.CommitOf(fed.Status.RefusedRevision)
		if strings.HasPrefix(refused, w.Commit) {
			return Refusal{Message: c.Message, Unverified: true}
		}
		if contained, _ := w.contained(ctx, refused); contained {
			return Refusal{Message: text.ShortRevision(refused) + ", which contains this commit, is refused: " + c.Message, Unverified: true}
		}
		return Refusal{} // the next commit may be signed
	}
	c := Condition(fed.Status.Conditions, fed.Generation, "Stalled")
	switch {
	case !isTrue(c), fed.Labels[v1alpha1.SourceLabel] != "": // the spec of a Federation that Git declares may change with the commit
	case c.Reason == string(dependency.Forbidden), c.Reason == string(dependency.Cycle), c.Reason == status.RefusedByTenant && !isAboutRelease(c.Reason, fed, releases):
		return Refusal{Message: c.Message}
	}
	return Refusal{}
}

// isAboutRelease reports whether the Federation is stalled for a reason of its newest Release: that of another commit.
func isAboutRelease(reason string, fed *v1alpha1.Federation, releases []v1alpha1.Release) bool {
	for i := range releases {
		if rel := &releases[i]; rel.Name == fed.Status.Release {
			c := Condition(rel.Status.Conditions, rel.Generation, "Stalled")
			return isTrue(c) && c.Reason == reason
		}
	}
	return false
}
