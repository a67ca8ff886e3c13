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
	o := &rolloutOrder{do: policy.CommandResume, orderFlags: f.orderFlags, targetFlags: f.targetFlags}
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
	case (!there || is == "false") && s.reason != "":
		return o.edit(ctx, out, h, m)
	case !there || is == "false":
		return fmt.Errorf("%s is not suspended: %s of %s is not set", m.title(), strings.Join(s.path, "."), m.place())
	}
	c := change{file: m.file, subject: "resume " + join(", stage ", m.title(), f.stage)}
	if s.reason != "" {
		reason, _ := m.Get(s.reasonPath()...)
		c.body = prefixed("It was suspended: ", reason)
	}
	if c.text, err = s.unset(m); err != nil {
		return fmt.Errorf("editing %s: %w", m.place(), err)
	}
	return f.carryOut(ctx, out, h, c)
}

// pausedStage takes the stage that is paused when the whole is not, and one only is.
func (f *resumption) pausedStage(m written) error {
	if is, _ := m.Get("spec", "paused"); is == "true" {
		return nil
	}
	var paused []string
	for _, stage := range m.Names("spec", "stages") {
		if is, _ := m.Get("spec", "stages", stage, "paused"); is == "true" {
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
