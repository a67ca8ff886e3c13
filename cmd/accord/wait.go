package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const waitLong = `Wait until a commit is live everywhere it should be.

Without --cluster it waits for all clusters the commit was planned for; with it, for those only. A commit that
accord has not seen yet is waited for. A line is printed for each change; the last one has the result.

Exit codes:
  0  done
  1  failed for good: no retry can help, for example a mistake in a manifest
  2  usage error, or an error of accord itself
  3  the time ran out
  4  done but for clusters that are held on purpose (0 with --allow-held)
  5  done but for clusters that are unreachable
  6  superseded by a newer commit`

// waitFlags of one wait.
type waitFlags struct {
	hub       hubFlags
	output    formatFlag
	revision  string
	clusters  []string
	timeout   time.Duration
	grace     time.Duration
	until     string
	allowHeld bool
}

func waitCommand() *cobra.Command {
	f := &waitFlags{}
	c := &cobra.Command{
		Use:     "wait [FEDERATION] --revision SHA",
		Short:   "Wait until a commit is live everywhere it should be",
		Long:    waitLong,
		Example: `  accord wait prod --revision "$GITHUB_SHA" --timeout 30m --allow-held`,
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c.Context(), c.OutOrStdout(), firstOf(args)) },
	}
	flags := c.Flags()
	f.hub.registerWithNamespace(flags)
	f.output.register(flags, asText, asJSON)
	flags.StringVar(&f.revision, "revision", "", "commit to wait for, at least 7 digits (required)")
	flags.StringSliceVar(&f.clusters, "cluster", nil, "wait for this cluster only (repeatable)")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Minute, "how long to wait")
	flags.StringVar(&f.until, "for", "healthy", "healthy, or applied")
	flags.BoolVar(&f.allowHeld, "allow-held", false, "exit 0 when all that is missing is held on purpose")
	flags.DurationVar(&f.grace, "unreachable-grace", time.Minute,
		"how long a cluster may be unreachable before it is given up on")
	return c
}

// goal is what the flags ask for.
func (f *waitFlags) goal(now time.Time) (goal, error) {
	if f.until != "healthy" && f.until != "applied" {
		return goal{}, fmt.Errorf("--for %q: expected healthy or applied", f.until)
	}
	if f.timeout <= 0 {
		return goal{}, errors.New("--timeout must be positive")
	}
	return goal{
		Applied: f.until == "applied", AllowHeld: f.allowHeld, Grace: f.grace,
		Started: now, Deadline: now.Add(f.timeout),
	}, nil
}

func (f *waitFlags) run(ctx context.Context, out io.Writer, name string) error {
	if f.revision == "" {
		return errors.New("--revision is required: the commit to wait for")
	}
	commit, err := parseCommit(f.revision)
	if err != nil {
		return err
	}
	g, err := f.goal(time.Now())
	if err != nil {
		return err
	}
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	fed, err := h.federation(ctx, name)
	if err != nil {
		return err
	}
	if err := h.checkClusters(ctx, f.clusters); err != nil {
		return err
	}
	w := &waiting{hub: h, federation: fed, commit: commit, clusters: f.clusters, goal: g}
	return w.until(ctx, waitPrinter(f.output.value, out, fed, commit))
}

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
	for seen := false; ; {
		s, err := w.look(ctx)
		switch {
		case err == nil:
			last, seen = s, true
		case seen && passing(err):
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

// passing tells whether err is of the kind that ends by itself: the hub restarts, or is busy.
func passing(err error) bool {
	_, network := errors.AsType[*url.Error](err)
	return network || apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsInternalError(err)
}

// ended is the end of the process for v; what there is to say has been said.
func ended(v verdict) error {
	if code := v.exitCode(); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// sleep until there is news, but not longer than again.
func sleep(ctx context.Context, news <-chan struct{}, again time.Time) error {
	t := time.NewTimer(time.Until(again))
	defer t.Stop()
	select {
	case <-news:
		return nil
	case <-t.C:
		return nil
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}
