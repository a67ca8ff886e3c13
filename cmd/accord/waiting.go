package main

import (
	"context"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// lastLook is how long a hub may take to answer when the time has run out: what is read then still counts.
const lastLook = 5 * time.Second

// waiting is one wait for one commit.
type waiting struct {
	hub        *hub
	federation *v1alpha1.Federation
	commit     string
	clusters   []string
	goal       goal
}

// until looks at every news until judge says that it is over. The watches only wake it: what it decides on is
// read after the news, so that nothing is missed between two watches. A hub that was there and is away for a
// while is waited for, too.
func (w *waiting) until(ctx context.Context, say func(sight, verdict, time.Time) error) error {
	news, end := w.hub.news(ctx, w.federation, len(w.clusters) > 0)
	defer end()
	var last sight
	for {
		s, err := w.lookInTime(ctx)
		switch {
		case err == nil:
			last = s
		case passing(err):
			s = last.withNote(err.Error())
		default:
			return err
		}
		now := time.Now()
		v := judge(s, w.goal, now)
		if err := say(s, v, now); err != nil {
			return err
		}
		if v.Result != "" {
			return ended(v)
		}
		if err := sleep(ctx, news, v.Again); err != nil {
			return err
		}
	}
}

// lookInTime gives up on a hub that does not answer when the time runs out.
func (w *waiting) lookInTime(ctx context.Context) (sight, error) {
	ctx, end := context.WithDeadline(ctx, w.goal.Deadline.Add(lastLook))
	defer end()
	return w.look(ctx)
}

// ended is the end of the process for v; what there is to say has been said.
func ended(v verdict) error {
	if code := v.exitCode(); code != 0 {
		return &exitError{code: code}
	}
	return nil
}
