package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const historyLong = `List the commits of a federation, the newest first: who made them, how far each got in its stages, and how it ended.

How it ended is one of: done; halted or rolled back, which lasts until Git changes or a person resumes; failed, which is a
mistake that no retry can fix; superseded, when a newer commit came before it was done; and under way. It is read from the
Releases on the hub, of which a federation keeps the latest.`

// historyFlags of one history.
type historyFlags struct {
	hub    hubFlags
	output formatFlag
}

func historyCommand() *cobra.Command {
	f := &historyFlags{}
	c := &cobra.Command{
		Use:   "history [FEDERATION]",
		Short: "List the commits and how each rollout ended",
		Long:  historyLong,
		Args:  cobra.MaximumNArgs(1),
		RunE:  func(c *cobra.Command, args []string) error { return f.run(c.Context(), c.OutOrStdout(), firstOf(args)) },
	}
	f.hub.registerWithNamespace(c.Flags())
	f.output.register(c.Flags(), asText, asJSON, asYAML)
	return c
}

func (f *historyFlags) run(ctx context.Context, out io.Writer, name string) error {
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	fed, err := h.federation(ctx, name)
	if err != nil {
		return err
	}
	releases := &v1alpha1.ReleaseList{}
	if err := h.List(ctx, releases, of(fed)...); err != nil {
		return h.explain("listing the releases of "+fed.Name, err)
	}
	all := newHistory(fed, releases.Items)
	if f.output.value != asText {
		return encode(out, f.output.value, all)
	}
	return all.write(out, time.Now())
}
