package progress

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// finalReadTimeout is the time for the hub to answer after the deadline: the answer still counts.
const finalReadTimeout = 5 * time.Second

// Wait waits for one commit.
type Wait struct {
	Hub        *hub.Hub
	Federation *v1alpha1.Federation
	Commit     string
	Clusters   []string
	Goal       Goal
	// Contains reports whether the history of the commit newer contains the commit older, and whether that is known; nil without
	// a checkout.
	Contains func(ctx context.Context, newer, older string) (contained, known bool)
	// Follow waits for the newer commit in place of one that it supersedes.
	Follow bool

	history map[[2]string]answer
	// request is the one that the controllers copy to the status, once they have handled it; empty before it is sent. Nobody handles one
	// that could not be sent.
	request string
	// mayNotAsk: the account has no right to send one.
	mayNotAsk bool
}

// Run reads a snapshot after every change until Judge ends the wait. The watches only wake it: it reads after the notification,
// so that no change between two watches is lost. It also waits for a hub that is unreachable for a while.
func (w *Wait) Run(ctx context.Context, say func(Snapshot, Verdict, time.Time) error) error {
	news, end := w.Hub.Changes(ctx, w.Federation, len(w.Clusters) > 0)
	defer end()
	var last Snapshot
	for {
		s, err := w.readInTime(ctx)
		switch {
		case err == nil:
			last = s
		case hub.Transient(err):
			s = last.withNote(err.Error())
		default:
			return err
		}
		if err == nil && w.ask(ctx, s) {
			continue
		}
		now := time.Now()
		v := Judge(s, w.Goal, now)
		if newer := s.newest(); v.Result == Superseded && w.Follow && newer != "" && now.Before(w.Goal.Deadline) {
			if err := say(s.withNote("superseded by "+text.ShortRevision(newer)+", which wait follows"), Verdict{}, now); err != nil {
				return err
			}
			w.Commit = newer
			continue
		}
		if err := say(s, v, now); err != nil {
			return err
		}
		if v.Result != "" {
			return ExitError(v)
		}
		if err := hub.WaitForChange(ctx, news, v.CheckAt); err != nil {
			return err
		}
	}
}

// ask asks the controllers once to read the sources, if they have not seen the commit. Without the right to ask, the commit
// comes with the next interval, and their last refusal counts from now on: ask returns true then.
func (w *Wait) ask(ctx context.Context, s Snapshot) bool {
	if w.request != "" || w.mayNotAsk || s.Release != "" || s.Suspended || s.PassedBy != "" {
		return false
	}
	request, err := w.Hub.RequestReconciliation(ctx, w.Federation)
	if w.mayNotAsk = apierrors.IsForbidden(err); err == nil {
		w.request = request
	}
	return w.mayNotAsk
}

// readInTime ends the request if the hub does not answer in time.
func (w *Wait) readInTime(ctx context.Context) (Snapshot, error) {
	ctx, end := context.WithDeadline(ctx, w.Goal.Deadline.Add(finalReadTimeout))
	defer end()
	return w.read(ctx)
}

// ExitError returns the error that ends the process with the exit code of v, nil for 0.
func ExitError(v Verdict) error {
	if code := v.ExitCode(); code != 0 {
		return &exit.Error{Code: code}
	}
	return nil
}
