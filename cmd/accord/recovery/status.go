package recovery

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/status"
)

const statusLong = `Compare the standby with production, object by object.

accord reads production and the standby now. The first line is the verdict. The table counts, for each kind, the objects that are
as the policies want them on the standby. Differences, failures and excluded objects follow with their reasons. While the standby is
active, the differences are what "accord dr switch --back" overwrites.

If production does not answer, accord shows since when, and the objects that the standby has.

Exit codes: 0 in sync, 1 differences or failures, 5 production or the standby does not answer.`

type statusFlags struct{ inspection }

func statusCommand() *cobra.Command {
	f := &statusFlags{}
	c := &cobra.Command{
		Use:     "status [RECOVERYPLAN]",
		Short:   "Compare the standby with production",
		Long:    statusLong,
		Example: "  accord dr status\n  accord dr status shop -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	f.register(c.Flags())
	return c
}

func (f *statusFlags) run(ctx context.Context, out io.Writer, name string) error {
	s, err := f.open(ctx, &f.hub, f.dir, name)
	if err != nil {
		return err
	}
	r, err := s.report(ctx, time.Now())
	if err != nil {
		return err
	}
	return f.show(out, r, r.code)
}

// report compares both sites now.
func (s *scene) report(ctx context.Context, now time.Time) (*Report, error) {
	r := &Report{Plan: s.file.Name, Active: s.plan.Active, Standby: s.plan.Standby}
	reached, release, delivery, err := s.reached(ctx)
	if err != nil {
		return nil, err
	}
	r.Revision = reached
	for _, p := range delivery.Status.Problems {
		r.Failed = append(r.Failed, problem{p.Object, p.Message})
	}
	if release != nil && release.Spec.CommittedAt != nil {
		r.NewestChange = &release.Spec.CommittedAt.Time
	}
	production, err := s.site(ctx, policy.ProductionSite)
	if err != nil {
		r.Unread = phrase.Line(err.Error())
		if c := apimeta.FindStatusCondition(s.live.Federation.Status.Conditions, "Ready"); c != nil && c.Reason == status.FetchFailed {
			r.UnreadSince = &c.LastTransitionTime.Time
		}
		return r.conclude(now), nil
	}
	production.Close()
	if err := s.compareSites(ctx, r); err != nil {
		return nil, err
	}
	return r.conclude(now), nil
}

// compareSites reads production and compares the standby with it.
func (s *scene) compareSites(ctx context.Context, r *Report) error {
	t, err := s.tree(ctx)
	if err != nil {
		return err
	}
	r.Production = s.facts.Live.Revision(s.plan.Source)
	plan, err := s.as(t, s.plan.Active)
	if err != nil {
		return err
	}
	m, err := s.site(ctx, policy.StandbySite)
	if err != nil {
		return &exit.Error{Code: 5, Err: err}
	}
	defer m.Close()
	target := plan.ForCluster(s.plan.Standby)
	verdicts, err := compare(ctx, m, target)
	if err != nil {
		return fmt.Errorf("comparing the standby: %w", err)
	}
	r.add(verdicts)
	for _, failed := range target.Failed {
		r.Failed = append(r.Failed, problem{failed.ID.String(), failed.Err.Error()})
	}
	for _, d := range plan.Decisions {
		if len(d.Chosen) == 0 && d.Origin.Source == s.plan.Source {
			r.exclude(d.Why, d.ID.String())
		}
	}
	return nil
}
