package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/fence"
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

const fenceLong = `Stop the workloads of production that the standby runs, or start them again.

accord sets spec.replicas to 0, and spec.suspend of CronJobs and Jobs to true. The annotation ` + fence.Annotation + ` keeps the value
before. It is the only command of accord that writes to production: the credentials need the right to patch these kinds. It refuses
to stop production while the RecoveryPlan says that production is active, and while the standby runs none of the workloads. With
--force it does not: use it before you merge the pull request of a switch. No field stops a DaemonSet.

With --wait, accord waits until the standby runs and production answers, and stops it then. Run it after a switch away from a cluster
that does not answer: pods that were cut off run until then.

With --lift, accord starts the workloads as they were before. It refuses while the RecoveryPlan says that the standby is active, and
while the standby runs one of them: both would run.`

type fenceFlags struct {
	ways
	hub               hub.Flags
	dir               string
	lift, wait, force bool
}

func fenceCommand() *cobra.Command {
	f := &fenceFlags{}
	c := &cobra.Command{
		Use:     "fence [RECOVERYPLAN]",
		Short:   "Stop the workloads of production, or start them again",
		Long:    fenceLong,
		Example: "  accord dr fence --wait   # production comes back and stays passive\n  accord dr fence --lift   # after the switch back",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	flags := c.Flags()
	f.ways.register(flags)
	f.hub.Register(flags)
	flags.StringVar(&f.dir, "dir", "", "directory of the manifests (default the current one)")
	flags.BoolVar(&f.lift, "lift", false, "start the workloads again")
	flags.BoolVar(&f.wait, "wait", false, "wait until production answers")
	flags.BoolVar(&f.force, "force", false, "stop production although the RecoveryPlan says that it is active")
	for _, stops := range []string{"wait", "force"} {
		c.MarkFlagsMutuallyExclusive("lift", stops)
	}
	return c
}

func (f *fenceFlags) run(ctx context.Context, out io.Writer, name string) error {
	s, err := f.open(ctx, &f.hub, f.dir, name)
	switch {
	case err != nil:
		return err
	case f.lift && s.plan.Active == policy.StandbySite:
		return fmt.Errorf("%s (%s) says that the standby is active: switch back first with accord dr switch --back", s.file.Title(), s.file.Place())
	case !f.lift && !f.force && s.plan.Active == policy.ProductionSite:
		return fmt.Errorf("%s (%s) says that production is active: switch first with accord dr switch --to standby, or use --force", s.file.Title(), s.file.Place())
	}
	act := func() error { return s.fence(ctx, out, f.force) }
	if f.lift {
		act = func() error { return s.liftFence(ctx, out) }
	}
	if !f.wait {
		return act()
	}
	return repeat(ctx, act)
}

// fence stops production, if the standby runs or force is set.
func (s *scene) fence(ctx context.Context, out io.Writer, force bool) error {
	production, err := s.site(ctx, policy.ProductionSite)
	if err != nil {
		return &waitError{err}
	}
	defer production.Close()
	workloads, err := s.workloads(ctx)
	switch {
	case err != nil && force:
		return err
	case err != nil:
		return &waitError{err}
	}
	if !force {
		run, err := s.runOnStandby(ctx, workloads)
		if err != nil {
			return &waitError{err}
		} else if len(run) == 0 {
			return &waitError{fmt.Errorf("cluster %s runs none of the workloads: the switch is not delivered yet", s.plan.Standby)}
		}
	}
	return stop(ctx, out, production, workloads)
}

// liftFence starts production.
func (s *scene) liftFence(ctx context.Context, out io.Writer) error {
	production, err := s.site(ctx, policy.ProductionSite)
	if err != nil {
		return err
	}
	defer production.Close()
	workloads, err := s.workloads(ctx)
	if err != nil {
		return err
	}
	return s.start(ctx, out, production, workloads)
}

// runOnStandby returns the live objects among the workloads that run on the standby.
func (s *scene) runOnStandby(ctx context.Context, workloads []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	m, err := s.site(ctx, policy.StandbySite)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return running(ctx, m, workloads)
}

// workloads returns the objects that run on the standby while it is active, and that a fence can stop.
func (s *scene) workloads(ctx context.Context) ([]*unstructured.Unstructured, error) {
	plan, err := s.switched(ctx)
	if err != nil {
		return nil, err
	}
	all, err := rendered(plan.ForCluster(s.plan.Standby))
	return slices.DeleteFunc(all, func(u *unstructured.Unstructured) bool { return fence.Stop(u) == nil }), err
}

// running returns the live objects among the workloads that run on a cluster.
func running(ctx context.Context, m *clusters.Member, workloads []*unstructured.Unstructured) (run []*unstructured.Unstructured, err error) {
	return those(ctx, m, workloads, func(u *unstructured.Unstructured) bool { return fence.Stop(u) != nil })
}

// those returns the live objects among the workloads for which is is true.
func those(ctx context.Context, m *clusters.Member, workloads []*unstructured.Unstructured, is func(*unstructured.Unstructured) bool) (found []*unstructured.Unstructured, err error) {
	live, err := liveObjects(ctx, m, workloads)
	if err != nil {
		return nil, err
	}
	wanted := map[manifest.ID]bool{}
	for _, u := range workloads {
		wanted[manifest.IDOf(u)] = true
	}
	for _, u := range live {
		if wanted[manifest.IDOf(u)] && is(u) {
			found = append(found, u)
		}
	}
	return found, nil
}

// stop fences the workloads of production.
func stop(ctx context.Context, out io.Writer, production *clusters.Member, workloads []*unstructured.Unstructured) error {
	run, err := running(ctx, production, workloads)
	if err != nil {
		return err
	}
	return patchAll(ctx, out, production, run, "stopped", fence.Stop)
}

// start removes the fence of production, if the standby runs none of the workloads.
func (s *scene) start(ctx context.Context, out io.Writer, production *clusters.Member, workloads []*unstructured.Unstructured) error {
	run, err := s.runOnStandby(ctx, workloads)
	if err != nil {
		return fmt.Errorf("production starts only when it is known that the standby runs nothing: %w", err)
	} else if len(run) > 0 {
		return fmt.Errorf("cluster %s runs %s: both would run; wait until the switch back is delivered", s.plan.Standby, phrase.List(names(run), shownObjects))
	}
	fenced, err := those(ctx, production, workloads, func(u *unstructured.Unstructured) bool { return fence.Start(u) != nil })
	if err != nil {
		return err
	}
	return patchAll(ctx, out, production, fenced, "started", fence.Start)
}

// patchAll sends the patch of each workload, and prints the result.
func patchAll(ctx context.Context, out io.Writer, m *clusters.Member, workloads []*unstructured.Unstructured, done string, patch func(*unstructured.Unstructured) map[string]any) error {
	var errs []error
	changed := 0
	for _, u := range workloads {
		body, err := json.Marshal(patch(u))
		if err != nil {
			return fmt.Errorf("encoding the patch of %s: %w", manifest.IDOf(u), err)
		}
		mapping, err := m.Kinds.Mapping(u.GroupVersionKind())
		if err == nil {
			_, err = m.Objects.Resource(mapping.Resource).Namespace(u.GetNamespace()).Patch(ctx, u.GetName(), types.MergePatchType, body, metav1.PatchOptions{FieldManager: "accord-fence"})
		}
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", manifest.IDOf(u), m.Explain(err)))
			continue
		}
		changed++
	}
	_, err := fmt.Fprintf(out, "%s: %s %s\n", m.Name, done, phrase.Count(changed, "workload"))
	return errors.Join(append(errs, err)...)
}

func names(all []*unstructured.Unstructured) []string {
	list := make([]string, len(all))
	for i, u := range all {
		list[i] = manifest.IDOf(u).String()
	}
	return list
}
