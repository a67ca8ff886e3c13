package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
)

const historyLong = `List the commits of a federation, the newest first, with author, progress in the stages, and result.

The results are: done; halted or rolled back, until a new commit or "accord resume"; failed, by a mistake that no retry can fix;
superseded, by a newer commit before it was done; and under way. Commits that change nothing for the federation share a row.
The list has the Releases that the hub keeps.`

type historyFlags struct {
	hub    hub.Flags
	output text.FormatFlag
}

func historyCommand() *cobra.Command {
	f := &historyFlags{}
	c := &cobra.Command{
		Use:   "history [FEDERATION]",
		Short: "List the commits and how each rollout ended",
		Long:  historyLong,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	f.hub.RegisterWithNamespace(c.Flags())
	f.output.Register(c.Flags(), text.AsText, text.AsJSON, text.AsYAML)
	return c
}

func (f *historyFlags) run(ctx context.Context, out io.Writer, name string) error {
	h, fed, err := f.hub.ConnectTo(ctx, name)
	if err != nil {
		return err
	}
	releases := &v1alpha1.ReleaseList{}
	if err := h.List(ctx, releases, hub.ListOptions(fed)...); err != nil {
		return h.Wrap("listing the releases of "+fed.Name, err)
	}
	all := view.NewHistory(fed, releases.Items)
	all.Title = h.Title(fed)
	return text.Write(out, f.output.Value, all, func(out io.Writer) error { return all.Write(out, time.Now()) })
}
