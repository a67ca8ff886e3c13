package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
)

const statusLong = `Show the newest commit of a federation and its state on every cluster.

The first line is the verdict. Without a name, status shows the only federation, or one line for each.

With a RolloutPolicy, a table shows the stages, and the line below it shows what the rollout waits for, since when, and the
deadline. -o svg draws the clusters of each stage over time.

-o html writes a page with all of this, for wide and narrow screens. Without a name, the page has all federations and begins with an
index. Both formats are one file, without scripts and without anything to load.

With --watch, status continues until Ctrl-C. It redraws a terminal. Elsewhere it prints a line for each change of the verdict or of
a cluster; with -o json each line is the whole report, without lastProbeTime.`

type statusFlags struct {
	hub    hub.Flags
	output text.FormatFlag
	watch  bool
	// drawn has the RolloutPolicy to draw.
	drawn view.PageOptions
}

func statusCommand() *cobra.Command {
	f := &statusFlags{}
	c := &cobra.Command{
		Use:   "status [FEDERATION]",
		Short: "Show the newest commit and its state on every cluster",
		Long:  statusLong,
		Example: `  accord status
  accord status prod --watch
  accord status prod -o json
  accord status prod -o html > prod.html
  accord status -A -o html > federations.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	f.hub.RegisterWithNamespace(c.Flags())
	f.output.Register(c.Flags(), text.AsText, text.AsJSON, text.AsYAML, text.AsSVG, text.AsHTML)
	c.Flags().StringVar(&f.drawn.Rollout, "rollout", "", "RolloutPolicy to draw with -o svg (default the only one) or -o html (default all)")
	c.Flags().DurationVar(&f.drawn.Refresh, "refresh", 0, "interval at which a browser loads the page of -o html again, if you write it again (default never)")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "continue and show changes")
	return c
}

func (f *statusFlags) run(ctx context.Context, out io.Writer, name string) error {
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	page := f.output.Value == text.AsHTML
	drawn := f.output.Value == text.AsSVG || page
	switch {
	case f.watch && f.output.Value == text.AsYAML:
		return errors.New("--watch does not support -o yaml: use -o json")
	case f.watch && drawn:
		return errors.New("--watch does not support -o svg and -o html: use -o json")
	case f.drawn.Rollout != "" && !drawn:
		return errors.New("--rollout requires -o svg or -o html")
	case f.drawn.Refresh != 0 && (!page || f.drawn.Refresh < time.Second):
		return errors.New("--refresh requires -o html, and at least 1s")
	}
	if name == "" && !f.watch && f.output.Value != text.AsSVG {
		all, err := h.Federations(ctx)
		switch {
		case err != nil:
			return err
		case page:
			return view.WritePage(ctx, out, h, all, f.drawn)
		case len(all) != 1:
			return view.PrintOverview(ctx, out, h, all, f.output.Value)
		}
	}
	fed, err := h.Federation(ctx, name)
	if err != nil {
		return err
	}
	switch {
	case f.watch:
		return view.WatchStatus(ctx, h, fed, view.NewWatcher(f.output.Value, out))
	case page:
		return view.WritePage(ctx, out, h, []v1alpha1.Federation{*fed}, f.drawn)
	case drawn:
		return view.DrawRollout(ctx, out, h, fed, f.drawn.Rollout)
	}
	s, err := view.ReadStatus(ctx, h, fed)
	if err != nil {
		return err
	}
	return text.Write(out, f.output.Value, s, func(out io.Writer) error { return s.Write(out, time.Now()) })
}
