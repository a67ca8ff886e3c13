package recovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/command"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

const switchLong = `Commit the switch to the standby, or back to production.

The switch is data in Git: spec.active and spec.revision of the RecoveryPlan. The controllers act on the commit, and approvals and
reviews apply to it as to any other.

--to standby: the passive overrides no longer apply to the standby, which gets the replicas and the traffic objects of production at
the pinned revision. accord does not follow production from then on. If production answers and the commit is pushed at once
(--push), accord first stops its workloads ("accord dr fence") and waits until the standby has its last change. With --dry-run or
--pull-request it does not stop them: run "accord dr fence --force" before you merge. If production does not answer, --production-down
confirms that it is down, or that its cut-off pods may run beside the standby until "accord dr fence --wait" reaches it.

--back: production must answer and be fenced. Objects of the standby that differ from production are shown, because the switch
overwrites them; --overwrite confirms it. With --push, accord waits until the standby runs nothing, and starts production. Otherwise
run "accord dr fence --lift" after the merge.
` + command.Notes

type switchFlags struct {
	command.Flags
	ways
	to                    string
	back, down, overwrite bool
	timeout               time.Duration
}

func switchCommand() *cobra.Command {
	f := &switchFlags{}
	c := &cobra.Command{
		Use:   "switch [RECOVERYPLAN] (--to standby | --back)",
		Short: "Commit the switch to the standby, or back to production",
		Long:  switchLong,
		Example: `  accord dr switch --to standby --dry-run          # the patch of the commit
  accord dr switch --to standby --push             # production is stopped first
  accord dr switch --to standby --push --production-down
  accord dr switch --back --push --overwrite`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), text.First(args))
		},
	}
	f.Flags.Register(c)
	f.ways.register(c.Flags())
	flags := c.Flags()
	flags.StringVar(&f.to, "to", "", "site that becomes active: standby")
	flags.BoolVar(&f.back, "back", false, "make production active again")
	flags.BoolVar(&f.down, "production-down", false, "production does not answer: switch without stopping it")
	flags.BoolVar(&f.overwrite, "overwrite", false, "with --back: overwrite the objects of the standby that differ")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Minute, "time to wait for the clusters")
	c.MarkFlagsMutuallyExclusive("to", "back")
	c.MarkFlagsOneRequired("to", "back")
	c.MarkFlagsMutuallyExclusive("back", "production-down")
	c.MarkFlagsMutuallyExclusive("to", "overwrite")
	return c
}

func (f *switchFlags) run(ctx context.Context, out, notes io.Writer, name string) error {
	if !f.back && f.to != "standby" {
		return fmt.Errorf("--to %q: expected standby; --back makes production active again", f.to)
	}
	s, err := f.open(ctx, f.Hub(), f.Dir(), name)
	if err != nil {
		return err
	}
	f.ReadLive(s.facts.Live)
	if f.back {
		return f.switchBack(ctx, out, notes, s)
	}
	return f.switchOver(ctx, out, notes, s)
}

// switchOver makes the standby active.
func (f *switchFlags) switchOver(ctx context.Context, out, notes io.Writer, s *scene) error {
	if s.plan.Active == policy.StandbySite {
		return fmt.Errorf("%s (%s) says that the standby is active already", s.file.Title(), s.file.Place())
	}
	production, err := s.site(ctx, policy.ProductionSite)
	switch answers := err == nil; {
	case !answers && !f.down:
		return fmt.Errorf("%w; if production is down or cut off, repeat with --production-down: its pods may run beside the standby until accord dr fence --wait reaches it", err)
	case !answers:
		return f.commitSwitch(ctx, out, s, false)
	case !f.Publishes() || f.DryRun():
		production.Close()
		fmt.Fprintln(notes, "production runs: stop it before the switch counts, with accord dr fence --force")
		return f.commitSwitch(ctx, out, s, true)
	}
	defer production.Close()
	workloads, err := s.workloads(ctx)
	if err == nil {
		err = stop(ctx, notes, production, workloads)
	}
	if err != nil {
		return fmt.Errorf("production was not stopped, and nothing was switched: %w", err)
	}
	if err := f.commitSwitch(ctx, out, s, true); err != nil {
		return fmt.Errorf("%w; nothing was switched, and production is stopped: accord dr fence --lift starts it", err)
	}
	return nil
}

// commitSwitch commits that the standby is active. newest waits until it has the newest objects of production.
func (f *switchFlags) commitSwitch(ctx context.Context, out io.Writer, s *scene, newest bool) error {
	revision, changed, err := s.last(ctx, newest, f.timeout)
	if err != nil {
		return err
	}
	text, err := s.edit(policy.StandbySite, revision)
	if err != nil {
		return err
	}
	body := "The standby runs " + revision + "."
	if changed != nil {
		body += "\nThe newest change of production in it is of " + changed.UTC().Format(time.RFC3339) + "."
	}
	return f.Commit(ctx, out, s.repo, gitrepo.Change{File: s.file.File, Text: text, Subject: "switch " + s.file.Title() + " to " + s.plan.Standby, Body: body})
}

// last returns the revision of production that the standby has. If production answers, it waits until that is its newest one.
func (s *scene) last(ctx context.Context, newest bool, limit time.Duration) (revision string, changed *time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = repeat(ctx, func() error {
		if newest {
			s.facts.Live.Forget()
			if _, err := s.tree(ctx); err != nil {
				return err
			}
		}
		reached, release, _, err := s.reached(ctx)
		switch now := s.facts.Live.Revision(s.plan.Source); {
		case err != nil:
			return err
		case newest && reached != now:
			return &waitError{fmt.Errorf("the standby does not have the newest objects of production after %s: accord dr status shows the reasons", limit)}
		case reached == "":
			return errors.New("no Release names the revision of production that the standby has")
		}
		if revision = reached; release.Spec.CommittedAt != nil {
			changed = &release.Spec.CommittedAt.Time
		}
		return nil
	})
	return revision, changed, err
}

// edit returns the file of the RecoveryPlan with another active site.
func (s *scene) edit(active, revision string) ([]byte, error) {
	text, err := s.file.Set(active, "spec", "active")
	if err != nil {
		return nil, fmt.Errorf("editing %s: %w", s.file.Place(), err)
	}
	m, err := s.file.In(text)
	if err != nil {
		return nil, err
	}
	if revision != "" {
		return m.Set(revision, "spec", "revision")
	}
	return m.Remove("spec", "revision")
}

// switchBack makes production active.
func (f *switchFlags) switchBack(ctx context.Context, out, notes io.Writer, s *scene) error {
	if s.plan.Active == policy.ProductionSite {
		return fmt.Errorf("%s (%s) says that production is active already", s.file.Title(), s.file.Place())
	}
	production, err := s.site(ctx, policy.ProductionSite)
	if err != nil {
		return fmt.Errorf("production takes over only when it answers: %w", err)
	}
	defer production.Close()
	workloads, err := s.workloads(ctx)
	if err != nil {
		return err
	}
	if run, err := running(ctx, production, workloads); err != nil {
		return err
	} else if len(run) > 0 {
		return fmt.Errorf("cluster %s runs %s beside the standby: stop it first with accord dr fence", production.Name, phrase.List(names(run), shownObjects))
	}
	if err := f.showOverwritten(ctx, notes, s); err != nil {
		return err
	}
	text, err := s.edit(policy.ProductionSite, "")
	if err != nil {
		return err
	}
	if err := f.Commit(ctx, out, s.repo, gitrepo.Change{File: s.file.File, Text: text, Subject: "switch " + s.file.Title() + " back to production"}); err != nil || f.DryRun() {
		return err
	}
	if !f.Publishes() {
		_, err := fmt.Fprintln(notes, "after the merge: accord dr fence --lift")
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	if err := repeat(ctx, func() error {
		if err := s.start(ctx, notes, production, workloads); err != nil {
			return &waitError{err}
		}
		return nil
	}); err != nil {
		return fmt.Errorf("production was not started: %w; run accord dr fence --lift", err)
	}
	return nil
}

// showOverwritten prints the objects of the standby that the switch back overwrites. Without --overwrite they are an error.
func (f *switchFlags) showOverwritten(ctx context.Context, notes io.Writer, s *scene) error {
	r := &Report{}
	if err := s.compareSites(ctx, r); err != nil {
		return err
	}
	if len(r.Differences) == 0 {
		return nil
	}
	if err := r.conclude(time.Now()).printOverwritten(notes); err != nil || f.overwrite {
		return err
	}
	return &exit.Error{Code: 1, Err: fmt.Errorf("%s of the standby %s from production: copy what you need to production, then use --overwrite", phrase.Count(len(r.Differences), "object"), phrase.Plural(len(r.Differences), "differs", "differ"))}
}
