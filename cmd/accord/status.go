package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"
)

const statusLong = `Show what is where: the newest commit of a federation and what every cluster made of it.

The first line is the verdict. Without a name the only federation is shown, or one line for each.

Where a RolloutPolicy gives the order there is a table of its stages, and on what it waits, since when, until when at most. -o svg
and -o html draw the clusters of each stage over time: one file, without scripts.

With --watch it goes on until Ctrl-C. A terminal is redrawn; elsewhere a line is added for each change of the verdict and
of a cluster, and with -o json the whole report in one line, without lastProbeTime.`

// statusFlags of one status.
type statusFlags struct {
	hub    hubFlags
	output formatFlag
	watch  bool
	// rollout that is drawn.
	rollout string
}

func statusCommand() *cobra.Command {
	f := &statusFlags{}
	c := &cobra.Command{
		Use:   "status [FEDERATION]",
		Short: "Show what is where",
		Long:  statusLong,
		Example: `  accord status
  accord status prod --watch
  accord status prod -o json
  accord status prod -o html > rollout.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), c.OutOrStdout(), firstOf(args)) },
	}
	f.hub.registerWithNamespace(c.Flags())
	f.output.register(c.Flags(), asText, asJSON, asYAML, asSVG, asHTML)
	c.Flags().StringVar(&f.rollout, "rollout", "", "RolloutPolicy that svg and html draw (default the only one)")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "go on and show what changes")
	return c
}

func (f *statusFlags) run(ctx context.Context, out io.Writer, name string) error {
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	drawn := f.output.value == asSVG || f.output.value == asHTML
	switch {
	case f.watch && f.output.value == asYAML:
		return errors.New("--watch has no YAML: use -o json")
	case f.watch && drawn:
		return errors.New("--watch has no pictures: use -o json")
	case f.rollout != "" && !drawn:
		return errors.New("--rollout is for -o svg and -o html")
	}
	if name == "" && !f.watch && !drawn {
		all, err := h.federations(ctx)
		if err != nil {
			return err
		}
		if len(all) != 1 {
			return printOverview(ctx, out, h, all, f.output.value)
		}
	}
	fed, err := h.federation(ctx, name)
	if err != nil {
		return err
	}
	if f.watch {
		return watchStatus(ctx, h, fed, liveView(f.output.value, out))
	}
	if drawn {
		return drawRollout(ctx, out, h, fed, f.rollout, f.output.value)
	}
	s, err := readStatus(ctx, h, fed)
	if err != nil {
		return err
	}
	if f.output.value != asText {
		return encode(out, f.output.value, s)
	}
	return s.write(out, time.Now())
}
