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
	"github.com/accord-dev/accord/cmd/accord/edit"
)

// A suspension is how one kind is suspended.
type suspension struct {
	group string
	kinds []string
	// path of the field that is set to true.
	path []string
	// reason is the field beside it that takes the reason; empty where there is none.
	reason string
}

// reasonPath returns the path of the field that takes the reason.
func (s suspension) reasonPath() []string {
	return append(slices.Clone(s.path[:len(s.path)-1]), s.reason)
}

var suspensions = []suspension{
	{policy.RolloutGroup, []string{"RolloutPolicy"}, []string{"spec", "paused"}, "pauseReason"},
	{policy.Group, []string{"PropagationPolicy", "ClusterPropagationPolicy"}, []string{"spec", "suspension", "dispatching"}, ""},
	{v1alpha1.GroupVersion.Group, []string{"Federation"}, []string{"spec", "suspend"}, ""},
}

// suspensionChange are those of suspend and resume.
type suspensionChange struct {
	orderFlags
	stage, kind, reason string
}

// meant is what may be suspended under a name.
func (f *suspensionChange) meant(name string) (wanted, error) {
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
func (f *suspensionChange) suspensionOf(m written) (suspension, error) {
	s := suspensions[slices.IndexFunc(suspensions, func(s suspension) bool {
		return s.group == m.group() && slices.Contains(s.kinds, m.Kind)
	})]
	if f.stage == "" {
		return s, nil
	}
	if s.reason == "" {
		return s, fmt.Errorf("--stage: %s has no stages", m.title())
	}
	if err := checkStage(m, f.stage); err != nil {
		return s, err
	}
	s.path = []string{"spec", "stages", f.stage, "paused"}
	return s, nil
}

// checkStage refuses a stage that a RolloutPolicy does not have.
func checkStage(m written, stage string) error {
	if _, there := m.Get("spec", "stages", stage, "name"); !there {
		return fmt.Errorf("%s (%s) has no stage %q", m.title(), m.place(), stage)
	}
	return nil
}

func (f *suspensionChange) suspend(ctx context.Context, out io.Writer, name string) error {
	if f.reason == "" {
		return errors.New("--reason is required: a pause that nobody can explain is never ended")
	}
	w, err := f.meant(name)
	if err != nil {
		return err
	}
	h, m, err := findManifest(f.dir, w)
	if err != nil {
		return err
	}
	s, err := f.suspensionOf(m)
	if err != nil {
		return err
	}
	c := change{file: m.file, subject: "suspend " + join(", stage ", m.title(), f.stage) + ": " + f.reason}
	if c.text, err = s.set(m, f.reason); err != nil {
		return fmt.Errorf("editing %s: %w", m.place(), err)
	}
	return f.carryOut(ctx, out, h, c)
}

func (f *suspensionChange) register(c *cobra.Command) {
	c.Flags().StringVar(&f.stage, "stage", "", "stage of a RolloutPolicy: it and all later ones")
	c.Flags().StringVar(&f.kind, "kind", "", "kind, when several things have the name")
	f.orderFlags.register(c)
}

// set returns the file with the manifest suspended.
func (s suspension) set(m written, reason string) ([]byte, error) {
	text, err := m.Set(true, s.path...)
	if err != nil || s.reason == "" {
		return text, err
	}
	if m, err = reread(m, text); err != nil {
		return nil, err
	}
	return m.Set(reason, s.reasonPath()...)
}

// unset returns the file with the manifest not suspended.
func (s suspension) unset(m written) ([]byte, error) {
	if _, there := m.Get(s.reasonPath()...); s.reason != "" && there {
		text, err := m.Remove(s.reasonPath()...)
		if err != nil {
			return nil, err
		}
		if m, err = reread(m, text); err != nil {
			return nil, err
		}
	}
	return m.Remove(s.path...)
}

// reread returns the same manifest in a changed text of its file.
func reread(w written, text []byte) (written, error) {
	all, err := edit.Read(text)
	if err != nil {
		return w, err
	}
	i := slices.IndexFunc(all, func(m edit.Manifest) bool { return m.Line == w.Line && m.Kind == w.Kind && m.Name == w.Name })
	if i < 0 {
		return w, errors.New("the edited manifest is not found again")
	}
	w.Manifest = all[i]
	return w, nil
}
