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

const waitLong = `Wait until a commit is live on every cluster.

The default commit is HEAD of the current directory, and the default Federation the only one, or the only one with a source in this
repository. Without --cluster, wait waits for all clusters of the plan. It also waits for a commit that accord has not seen yet, and for
a hub that starts again. If accord is at a newer commit that contains it, the commit is superseded: the checkout
decides that, and wait fetches the newer commit into the checkout if necessary, without a change of any ref. Outside of a checkout
only the Releases on the hub decide. With --follow, wait continues with the newer commit. Wait prints a line within a second, and one for each change. The last line has the result
and, if the commit is not done, the worst clusters and the next step. With -o json each line is an object; "result" is in the
last one only: done, failed, timeout, held, unreachable, superseded or refused. With exit code 2 there is no result, and the reason is
on stderr.

Exit codes:
  0  done
  1  failed: no retry can help, for example a mistake in a manifest
  2  usage error, or an error of accord itself
  3  timeout
  4  done except for held clusters (0 with --allow-held), or a person has to approve (the command is printed; --allow-approval
     continues)
  5  done except for unreachable clusters
  6  superseded by a newer commit
  7  refused: accord does not start the commit, because no allowed signer signed it, or because a Tenant or spec.dependsOn does not
     allow it`

type waitFlags struct {
	hub       hub.Flags
	output    text.FormatFlag
	revision  string
	clusters  []string
	timeout   time.Duration
	grace     time.Duration
	until     string
	allowHeld bool
	// allowApproval continues while a person has to approve.
	allowApproval bool
	follow        bool
}

func waitCommand() *cobra.Command {
	f := &waitFlags{}
	c := &cobra.Command{
		Use:   "wait [FEDERATION] [--revision SHA]",
		Short: "Wait until a commit is live on every cluster",
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
	flags.StringVar(&f.revision, "revision", "", "commit to wait for: at least 7 digits, or a revision of the checkout such as HEAD~1 (default HEAD)")
	flags.StringSliceVar(&f.clusters, "cluster", nil, "wait for this cluster only (repeatable)")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Minute, "maximum time to wait")
	flags.StringVar(&f.until, "for", "healthy", "healthy or applied")
	flags.BoolVar(&f.allowHeld, "allow-held", false, "exit with 0 if all missing clusters are held")
	flags.BoolVar(&f.allowApproval, "allow-approval", false, "continue to wait while a person has to approve")
	flags.BoolVar(&f.follow, "follow", false, "wait for the newer commit if one supersedes the commit")
	flags.DurationVar(&f.grace, "unreachable-grace", time.Minute,
		"time that a cluster may be unreachable before the wait ends")
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
		Applied: f.until == "applied", AllowHeld: f.allowHeld, AllowApproval: f.allowApproval, Grace: f.grace,
		Started: now, Deadline: now.Add(f.timeout),
	}, nil
}

func (f *waitFlags) run(ctx context.Context, out io.Writer, name string) error {
	checkout, commit, err := gitrepo.FindCommit(f.revision)
	if err != nil {
		return err
	}
	g, err := f.goal(time.Now())
	if err != nil {
		return err
	}
	f.hub.Timeout = min(f.hub.Timeout, f.timeout)
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
	p.SetFederation(fed, h.Title(fed))
	w := &progress.Wait{Hub: h, Federation: fed, Commit: commit, Clusters: f.clusters, Goal: g, Follow: f.follow}
	if checkout != nil {
		w.Contains = checkout.Contains
	}
	return w.Run(ctx, p.Print)
}

// find returns the federation. It returns an error if the federation or a cluster does not exist.
func (f *waitFlags) find(ctx context.Context, h *hub.Hub, name string, g progress.Goal) (*v1alpha1.Federation, error) {
	ctx, end := context.WithDeadline(ctx, g.Deadline)
	defer end()
	fed, err := h.AwaitFederation(ctx, name)
	if err != nil {
		return nil, err
	}
	return fed, h.CheckClusters(ctx, f.clusters)
}
