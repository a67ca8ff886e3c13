package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/accord-dev/accord/api/policy"
)

// resumption takes back a suspension in Git, or orders that a rollout which was halted or rolled back is tried again.
type resumption struct {
	suspensionChange
	targetFlags
}

func (f *resumption) run(ctx context.Context, out io.Writer, name string) error {
	o := &rolloutOrder{do: policy.OrderResume, orderFlags: f.orderFlags, targetFlags: f.targetFlags}
	if f.annotate {
		return o.run(ctx, out, name)
	}
	w, err := f.meant(name)
	if err != nil {
		return err
	}
	h, m, err := findManifest(f.dir, w)
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
func (f *resumption) pausedStage(m written) error {
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
