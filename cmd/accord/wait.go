package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const waitLong = `Wait until a commit is live everywhere it should be.

Without --revision it waits for the commit that is checked out where it is called (HEAD). Without --cluster it waits for
all clusters the commit was planned for; with it, for those only. A commit that accord has not seen yet is waited for. A
line is printed within a second, and one for each change; the last one has the result and, when it is not done, the worst
clusters and what to do next. With -o json each line is an object, and "result" is in the last one only: done, failed,
timeout, held, unreachable or superseded. With exit code 2 there is none, and the reason is on stderr.

Exit codes:
  0  done
  1  failed for good: no retry can help, for example a mistake in a manifest
  2  usage error, or an error of accord itself
  3  the time ran out
  4  done but for clusters that are held on purpose (0 with --allow-held)
  5  done but for clusters that are unreachable
  6  superseded by a newer commit`

type waitFlags struct {
	hub       hub.Flags
	output    text.FormatFlag
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
		Use:   "wait [FEDERATION] [--revision SHA]",
		Short: "Wait until a commit is live everywhere it should be",
		Long:  waitLong,
		Example: `  git push && accord wait
  accord wait prod --revision "$GITHUB_SHA" --timeout 30m --allow-held
  accord wait prod --for applied --cluster eu-1 --cluster eu-2 -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	flags := c.Flags()
	f.hub.RegisterWithNamespace(flags)
	f.output.Register(flags, text.AsText, text.AsJSON)
	flags.StringVar(&f.revision, "revision", "", "commit to wait for, at least 7 digits (default HEAD of the Git checkout)")
	flags.StringSliceVar(&f.clusters, "cluster", nil, "wait for this cluster only (repeatable)")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Minute, "how long to wait")
	flags.StringVar(&f.until, "for", "healthy", "healthy, or applied")
	flags.BoolVar(&f.allowHeld, "allow-held", false, "exit 0 when all that is missing is held on purpose")
	flags.DurationVar(&f.grace, "unreachable-grace", time.Minute,
		"how long a cluster may be unreachable before it is given up on")
	return c
}

// goal returns the goal of the flags.
func (f *waitFlags) goal(now time.Time) (progress.Goal, error) {
	if f.until != "healthy" && f.until != "applied" {
		return progress.Goal{}, fmt.Errorf("--for %q: expected healthy or applied", f.until)
	}
	if f.timeout <= 0 {
		return progress.Goal{}, errors.New("--timeout must be positive")
	}
	return progress.Goal{
		Applied: f.until == "applied", AllowHeld: f.allowHeld, Grace: f.grace,
		Started: now, Deadline: now.Add(f.timeout),
	}, nil
}

func (f *waitFlags) run(ctx context.Context, out io.Writer, name string) error {
	commit, err := f.commit()
	if err != nil {
		return err
	}
	g, err := f.goal(time.Now())
	if err != nil {
		return err
	}
	f.hub.Timeout = min(hub.RequestTimeout, f.timeout)
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	p := progress.NewPrinter(f.output.Value, out, name, commit)
	defer p.AnnounceHub(h.Config.Host)()
	fed, err := f.find(ctx, h, name, g)
	switch {
	case hub.Transient(err) && ctx.Err() == nil && !time.Now().Before(g.Deadline):
		now := time.Now()
		v := progress.Verdict{Result: progress.Timeout, Message: "the hub " + h.Config.Host + " did not answer"}
		return errors.Join(p.Print(progress.Snapshot{}, v, now), progress.ExitError(v))
	case err != nil:
		return err
	}
	p.SetFederation(fed)
	w := &progress.Wait{Hub: h, Federation: fed, Commit: commit, Clusters: f.clusters, Goal: g}
	return w.Run(ctx, p.Print)
}

// commit returns the commit to wait for.
func (f *waitFlags) commit() (string, error) {
	if f.revision == "" {
		return gitrepo.HeadCommit()
	}
	return gitrepo.ParseCommit(f.revision)
}

// find returns the federation. It returns an error if the federation or a cluster does not exist.
func (f *waitFlags) find(ctx context.Context, h *hub.Hub, name string, g progress.Goal) (*v1alpha1.Federation, error) {
	ctx, end := context.WithDeadline(ctx, g.Deadline)
	defer end()
	fed, err := h.Federation(ctx, name)
	if err != nil {
		return nil, err
	}
	return fed, h.CheckClusters(ctx, f.clusters)
}
