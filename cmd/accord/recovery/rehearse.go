package recovery

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/apply"
)

const rehearseLong = `Try the switch to the standby without a change.

accord makes the plan in which the standby is active, with the objects of production as they are now, and asks the standby:
  - a server-side dry-run of every object that the switch changes: admission, immutable fields, rights, kinds that are not served
  - a server-side dry-run of one pod of each workload: pod security, webhooks, limits, priority and runtime classes
  - the ResourceQuotas against the requests of all replicas
  - the ConfigMaps, Secrets, accounts, volume claims and classes that the objects refer to

Nothing is written. The credentials need the rights to write, because a dry-run checks them; with a Tenant that has an account, the
dry-runs of objects are those of the account. The other objects are read with get, and quotas and nodes with list. accord notes what
it may not read, with the right that it needs. A finding would stop or harm the switch, and a note does not.

accord asks a registry without credentials whether it has an image that no node of the standby has, by a HEAD request. An image that
it may not see there was not checked, which is a note.

Exit codes: 0 nothing was found, 1 findings, 5 production or the standby does not answer.`

type rehearseFlags struct {
	inspection
	timeout  time.Duration
	images   bool
	networks egress.Networks
}

func rehearseCommand() *cobra.Command {
	f := &rehearseFlags{}
	c := &cobra.Command{
		Use:     "rehearse [RECOVERYPLAN]",
		Short:   "Try the switch to the standby without a change",
		Long:    rehearseLong,
		Example: "  accord dr rehearse\n  accord dr rehearse shop -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	f.register(c.Flags())
	flags := c.Flags()
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "time for all requests")
	flags.BoolVar(&f.images, "check-images", true, "ask registries for the images that no node of the standby has, without credentials")
	flags.Var(&f.networks, "allow-registry-networks", "loopback, link-local and private networks in which registries may be, such as 10.0.0.0/8 (repeatable; default none)")
	return c
}

// Rehearsal is the result.
type Rehearsal struct {
	Plan    string `json:"plan"`
	Verdict string `json:"verdict"`
	// Tried counts the objects and pods of which the standby answered a dry-run.
	Tried    int       `json:"tried"`
	Replicas int       `json:"replicas"`
	Findings []problem `json:"findings"`
	Notes    []string  `json:"notes"`
}

// DocumentKind implements text.Document.
func (*Rehearsal) DocumentKind() string { return "StandbyRehearsal" }

func (r *Rehearsal) find(object, format string, args ...any) {
	r.Findings = append(r.Findings, problem{object, phrase.Line(fmt.Sprintf(format, args...))})
}

func (f *rehearseFlags) run(ctx context.Context, out io.Writer, name string) error {
	s, err := f.open(ctx, &f.hub, f.dir, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	production, err := s.site(ctx, policy.ProductionSite)
	if err != nil {
		return &exit.Error{Code: 5, Err: err}
	}
	production.Close()
	standby, err := s.site(ctx, policy.StandbySite)
	if err != nil {
		return &exit.Error{Code: 5, Err: err}
	}
	defer standby.Close()
	var images *registries
	if f.images {
		images = new(newRegistries(f.networks.HTTPTransport()))
	}
	r, err := s.rehearse(ctx, standby, images)
	if err != nil {
		return err
	}
	return f.show(out, r, min(len(r.Findings), 1))
}

// rehearse asks the standby about the plan in which it is active.
func (s *scene) rehearse(ctx context.Context, m *clusters.Member, images *registries) (*Rehearsal, error) {
	t, err := s.tree(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := s.as(t, policy.StandbySite)
	if err != nil {
		return nil, err
	}
	r := &Rehearsal{Plan: s.file.Name, Findings: []problem{}, Notes: []string{}}
	if err := s.tryObjects(ctx, m, plan, t.Account(), r); err != nil {
		return nil, err
	}
	objects, err := rendered(plan.ForCluster(s.plan.Standby))
	if err != nil {
		return nil, err
	}
	q := inquiry{m, objects, images, r}
	for _, ask := range []func(context.Context) error{q.pods, q.quotas, q.needs, q.images} {
		if err := ask(ctx); err != nil {
			return nil, err
		}
	}
	r.Verdict = fmt.Sprintf("the switch would start %s on %s: nothing against it in %s", phrase.Count(r.Replicas, "replica"), s.plan.Standby, phrase.Count(r.Tried, "dry-run"))
	if n := len(r.Findings); n > 0 {
		r.Verdict = fmt.Sprintf("the switch would not work: %s in %s", phrase.Count(n, "finding"), phrase.Count(r.Tried, "dry-run"))
	}
	return r, nil
}

// tryObjects sends a dry-run of every object that the switch changes, as the account of the Tenant if there is one.
func (s *scene) tryObjects(ctx context.Context, m *clusters.Member, plan *propagate.Plan, account tenancy.Account, r *Rehearsal) error {
	target := plan.ForCluster(s.plan.Standby)
	for _, failed := range target.Failed {
		r.find(failed.ID.String(), "cannot be rendered: %v", failed.Err)
	}
	federation := s.live.Federation.Namespace + "/" + s.live.Federation.Name
	tried, err := apply.DryRun(ctx, m, federation, target, nil, nil, apply.DryRunOptions{Account: account, Book: plan.Interpreters().Book})
	if err != nil {
		return &exit.Error{Code: 5, Err: fmt.Errorf("trying the objects on cluster %s: %w", m.Name, err)}
	}
	r.Tried += tried.Checked
	for _, x := range tried.Rejected {
		r.find(x.ID.String(), "%s", x.Message)
	}
	for _, x := range tried.Unchecked {
		r.Notes = append(r.Notes, fmt.Sprintf("%s was not tried: %s", x.ID, phrase.Line(x.Message)))
	}
	return nil
}

func (r *Rehearsal) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Plan, r.Verdict)
	slices.SortStableFunc(r.Findings, func(a, b problem) int { return strings.Compare(a.Object, b.Object) })
	for _, p := range r.Findings {
		fmt.Fprintf(&b, "finding  %s: %s\n", p.Object, p.Message)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note     %s\n", n)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
