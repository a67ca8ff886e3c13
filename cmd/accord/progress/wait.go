package progress

import (
	"context"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// finalReadTimeout is how long a hub may take to answer when the time has run out: what is read then still counts.
const finalReadTimeout = 5 * time.Second

// Wait is one wait for one commit.
type Wait struct {
	Hub        *hub.Hub
	Federation *v1alpha1.Federation
	Commit     string
	Clusters   []string
	Goal       Goal
}

// Run looks at every news until judge says that it is over. The watches only wake it: what it decides on is
// read after the news, so that nothing is missed between two watches. A hub that was there and is away for a
// while is waited for, too.
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
		now := time.Now()
		v := Judge(s, w.Goal, now)
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

// readInTime gives up on a hub that does not answer when the time runs out.
func (w *Wait) readInTime(ctx context.Context) (Snapshot, error) {
	ctx, end := context.WithDeadline(ctx, w.Goal.Deadline.Add(finalReadTimeout))
	defer end()
	return w.read(ctx)
}

// ExitError is the end of the process for v; what there is to say has been said.
func ExitError(v Verdict) error {
	if code := v.ExitCode(); code != 0 {
		return &exit.Error{Code: code}
	}
	return nil
}
