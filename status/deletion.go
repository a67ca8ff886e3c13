package status

import (
	"cmp"
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// DeletionWait returns the time until a pending deletion exceeds DeletionTimeout; 0 without one, and afterwards.
func (r Run) DeletionWait(now time.Time) time.Duration {
	if len(r.Deletions) == 0 || r.Deletions[0].Since == nil || r.DeletionTimeout == 0 {
		return 0
	}
	return max(r.Deletions[0].Since.Add(r.DeletionTimeout).Sub(now), 0)
}

// deletionVerdict returns the verdict on a run whose deleted objects are still there.
func (r Run) deletionVerdict(t tally, now time.Time) verdict {
	message := r.deletionMessage() + "; " + t.String()
	if r.DeletionTimeout > 0 && r.Deletions[0].Since != nil && r.DeletionWait(now) == 0 {
		return terminal(DeletionBlocked, message)
	}
	return inProgress(message)
}

// deletionMessage names the oldest deletion and the number of the others.
func (r Run) deletionMessage() string {
	first := r.Deletions[0]
	text := first.Object + " is being deleted"
	if first.Finalizer != "" {
		text += fmt.Sprintf(", and waits for the finalizer %s since %s", first.Finalizer, first.Since.UTC().Format(time.RFC3339))
	}
	if more := len(r.Deletions) - 1; more > 0 {
		text += " (and " + phrase.Count(more, "more object") + ")"
	}
	return text
}

// waitingFor names the oldest deletion; nil without one. A deletion whose time is not known keeps that of before.
func (r Run) waitingFor(before *v1alpha1.WaitingFor, now time.Time) *v1alpha1.WaitingFor {
	if len(r.Deletions) == 0 {
		return nil
	}
	first := r.Deletions[0]
	w := &v1alpha1.WaitingFor{Cluster: r.Cluster, Object: first.Object, Finalizer: first.Finalizer, Message: shorten(r.deletionMessage(), maxSentence), Since: first.Since}
	if w.Since == nil && before != nil && before.Object == w.Object {
		w.Since = before.Since
	}
	w.Since = cmp.Or(w.Since, since(now))
	if r.DeletionTimeout > 0 {
		w.Deadline = since(w.Since.Add(r.DeletionTimeout))
	}
	return w
}
