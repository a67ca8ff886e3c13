package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// Resumption removes a suspension in Git, or retries a rollout that was halted or rolled back.
type Resumption struct {
	Suspension
	RolloutFlags
}

func (f *Resumption) Register(c *cobra.Command) {
	f.Suspension.Register(c)
	f.RolloutFlags.register(c, &f.hub)
}

func (f *Resumption) Run(ctx context.Context, out io.Writer, name string) error {
	o := &RolloutCommand{Do: policy.CommandResume, Flags: f.Flags, RolloutFlags: f.RolloutFlags}
	if f.annotate {
		return o.run(ctx, out, name)
	}
	w, err := f.selector(name)
	if err != nil {
		return err
	}
	h, m, err := gitrepo.FindManifest(f.dir, w)
	if err != nil {
		return err
	}
	if f.stage == "" && m.Kind == "RolloutPolicy" {
		if err := f.pausedStage(m); err != nil {
			return err
		}
	}
	s, err := f.fieldOf(m)
	if err != nil {
		return err
	}
	is, there := m.Get(s.path...)
	switch {
	case (!there || is == "false") && s.reason != "":
		return o.edit(ctx, out, h, m)
	case !there || is == "false":
		return fmt.Errorf("%s is not suspended: %s of %s is not set", m.Title(), strings.Join(s.path, "."), m.Place())
	}
	c := gitrepo.Change{File: m.File, Subject: "resume " + text.Join(", stage ", m.Title(), f.stage)}
	if s.reason != "" {
		reason, _ := m.Get(s.reasonPath()...)
		c.Body = text.WithPrefix("It was suspended: ", reason)
	}
	if c.Text, err = s.unset(m); err != nil {
		return fmt.Errorf("editing %s: %w", m.Place(), err)
	}
	return f.Commit(ctx, out, h, c)
}

// pausedStage selects the paused stage if the rollout is not paused and exactly one stage is.
func (f *Resumption) pausedStage(m gitrepo.ManifestFile) error {
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
		return fmt.Errorf("--stage is required: several stages are paused: %s (%s)", strings.Join(paused, ", "), m.Place())
	}
	return nil
}
