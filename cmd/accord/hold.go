package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/command"
)

const holdLong = `Keep hands off a cluster, or end that: nothing is created, changed, repaired or deleted there.

It writes spec.hold of the Cluster manifest: why, who to ask, and until when. Rollouts do not wait for a cluster that is held,
and it catches up when it is released.
` + command.Notes

func holdCommand() *cobra.Command {
	f := &command.Hold{}
	c := &cobra.Command{
		Use:   "hold CLUSTER --reason TEXT",
		Short: "Keep hands off a cluster",
		Long:  holdLong,
		Example: `  accord hold ap-2 --reason INC-4411 --until 48h
  accord hold us-4 --reason "load test" --owner j.doe --until 2026-03-06
  accord hold ap-2 --release --push`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0], time.Now())
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Reason, "reason", "", "why, for everybody who wonders")
	flags.StringVar(&f.Owner, "owner", "", "who to ask (default the user of git's configuration)")
	flags.StringVar(&f.Until, "until", "", `when it ends by itself: "48h", "3d", "2026-03-06", "2026-03-06 18:00" (UTC) or a time with its zone`)
	flags.BoolVar(&f.Release, "release", false, "end the hold")
	f.Flags.Register(c)
	c.MarkFlagsMutuallyExclusive("reason", "release")
	c.MarkFlagsOneRequired("reason", "release")
	return c
}
