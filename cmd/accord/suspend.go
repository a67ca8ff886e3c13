package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
)

const suspendLong = `Pause a rollout, a policy or a federation.

What is written depends on what has the name:
  RolloutPolicy                  spec.pause, or pause of a --stage: no further cluster gets the change; what was given is judged
  PropagationPolicy and          spec.suspension.dispatching: true, Karmada's way: hands off the objects of the policy, everywhere
  ClusterPropagationPolicy
  Federation                     spec.suspend: true, the sources are not looked at any more

"accord resume" takes it back.
` + orderNotes

// A suspension is how one kind is suspended.
type suspension struct {
	group string
	kinds []string
	path  []string
	// value of the field; nil: the reason.
	value any
}

var suspensions = []suspension{
	{policy.RolloutGroup, []string{"RolloutPolicy"}, []string{"spec", "pause"}, nil},
	{policy.Group, []string{"PropagationPolicy", "ClusterPropagationPolicy"}, []string{"spec", "suspension", "dispatching"}, true},
	{v1alpha1.GroupVersion.Group, []string{"Federation"}, []string{"spec", "suspend"}, true},
}

// suspensionFlags are those of suspend and resume.
type suspensionFlags struct {
	orderFlags
	stage, kind, reason string
}

func suspendCommand() *cobra.Command {
	f := &suspensionFlags{}
	c := &cobra.Command{
		Use:   "suspend ROLLOUT|POLICY|FEDERATION --reason TEXT",
		Short: "Pause a rollout, a policy or a federation",
		Long:  suspendLong,
		Example: `  accord suspend standard --stage world --reason "waiting for the DBA"
  accord suspend shop/web --kind PropagationPolicy --reason INC-4411 --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.suspend(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.reason, "reason", "", "why, for everybody who wonders")
	return c
}

func (f *suspensionFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.stage, "stage", "", "stage of a RolloutPolicy: it and all later ones")
	c.Flags().StringVar(&f.kind, "kind", "", "kind, when several things have the name")
	f.orderFlags.register(c)
}

// meant is what may be suspended under a name.
func (f *suspensionFlags) meant(name string) (wanted, error) {
	w := wanted{noun: "RolloutPolicy, PropagationPolicy, ClusterPropagationPolicy or Federation", name: name, kinds: map[string][]string{}}
	for _, s := range suspensions {
		for _, kind := range s.kinds {
			if f.kind == "" || f.kind == kind {
				w.kinds[s.group] = append(w.kinds[s.group], kind)
			}
		}
	}
	if len(w.kinds) == 0 {
		return w, fmt.Errorf("--kind %q: expected %s", f.kind, w.noun)
	}
	if f.kind != "" {
		w.noun = f.kind
	}
	return w, nil
}

// suspensionOf is how a manifest is suspended: the field, and its value.
func (f *suspensionFlags) suspensionOf(m written) (suspension, error) {
	s := suspensions[slices.IndexFunc(suspensions, func(s suspension) bool {
		return s.group == m.group() && slices.Contains(s.kinds, m.Kind)
	})]
	if f.stage == "" {
		return s, nil
	}
	if s.value != nil {
		return s, fmt.Errorf("--stage: %s has no stages", m.title())
	}
	if err := m.checkStage(f.stage); err != nil {
		return s, err
	}
	s.path = []string{"spec", "stages", f.stage, "pause"}
	return s, nil
}

// checkStage refuses a stage that a RolloutPolicy does not have.
func (w written) checkStage(stage string) error {
	if _, there := w.Get("spec", "stages", stage, "name"); !there {
		return fmt.Errorf("%s (%s) has no stage %q", w.title(), w.place(), stage)
	}
	return nil
}

func (f *suspensionFlags) suspend(ctx context.Context, out io.Writer, name string) error {
	if f.reason == "" {
		return errors.New("--reason is required: a pause that nobody can explain is never ended")
	}
	w, err := f.meant(name)
	if err != nil {
		return err
	}
	h, m, err := f.find(w)
	if err != nil {
		return err
	}
	s, err := f.suspensionOf(m)
	if err != nil {
		return err
	}
	value := s.value
	if value == nil {
		value = f.reason
	}
	c := change{file: m.file, subject: "suspend " + join(", stage ", m.title(), f.stage) + ": " + f.reason}
	if c.text, err = m.Set(value, s.path...); err != nil {
		return fmt.Errorf("editing %s: %w", m.place(), err)
	}
	return f.carryOut(ctx, out, h, c)
}
