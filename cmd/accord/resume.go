package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
)

const resumeLong = `Take back what "accord suspend" wrote. A RolloutPolicy that is not paused, but whose rollout was halted or rolled back, is
tried again: deadlines begin anew, and after a rollback it starts with the first stage. That is an order about one target (see
"accord approve --help").
` + orderNotes

// resumeFlags of one resume.
type resumeFlags struct {
	suspensionFlags
	targetFlags
}

func resumeCommand() *cobra.Command {
	f := &resumeFlags{}
	c := &cobra.Command{
		Use:   "resume ROLLOUT|POLICY|FEDERATION",
		Short: "End a pause, or try again what was halted",
		Long:  resumeLong,
		Example: `  accord resume standard --stage world
  accord resume standard --target 1f0c9e21aa04      # what was halted or rolled back`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.suspensionFlags.register(c)
	f.targetFlags.register(c)
	return c
}

func (f *resumeFlags) run(ctx context.Context, out io.Writer, name string) error {
	o := &rolloutOrder{do: policy.OrderResume, orderFlags: f.orderFlags, targetFlags: f.targetFlags}
	if f.annotate {
		return o.run(ctx, out, name)
	}
	w, err := f.meant(name)
	if err != nil {
		return err
	}
	h, m, err := f.find(w)
	if err != nil {
		return err
	}
	if f.stage == "" && m.Kind == "RolloutPolicy" {
		if err := f.pausedStage(m); err != nil {
			return err
		}
	}
	s, err := f.suspensionOf(m)
	if err != nil {
		return err
	}
	is, there := m.Get(s.path...)
	switch {
	case (!there || is == "" || is == "false") && s.value == nil:
		return o.edit(ctx, out, h, m)
	case !there || is == "false":
		return fmt.Errorf("%s is not suspended: %s of %s is not set", m.title(), strings.Join(s.path, "."), m.place())
	}
	c := change{file: m.file, subject: "resume " + join(", stage ", m.title(), f.stage)}
	if s.value == nil {
		c.body = "It was suspended: " + is
	}
	if c.text, err = m.Remove(s.path...); err != nil {
		return fmt.Errorf("editing %s: %w", m.place(), err)
	}
	return f.carryOut(ctx, out, h, c)
}

// pausedStage takes the stage that is paused when the whole is not, and one only is.
func (f *resumeFlags) pausedStage(m written) error {
	if why, _ := m.Get("spec", "pause"); why != "" {
		return nil
	}
	var paused []string
	for _, stage := range m.Names("spec", "stages") {
		if why, _ := m.Get("spec", "stages", stage, "pause"); why != "" {
			paused = append(paused, stage)
		}
	}
	switch len(paused) {
	case 0:
	case 1:
		f.stage = paused[0]
	default:
		return fmt.Errorf("which --stage? Paused are %s (%s)", strings.Join(paused, ", "), m.place())
	}
	return nil
}
