package command

import (
	"time"

	"github.com/spf13/cobra"
)

const holdLong = `Put a cluster on hold: nothing is created, changed, repaired or deleted there.

The command writes spec.hold of the Cluster manifest: reason, owner and end. Rollouts do not wait for a cluster that is on
hold. The cluster catches up when the hold ends. "accord unhold" ends the hold. With --on-hub the command changes the Cluster on the
hub: at once, also for a cluster without a manifest in Git. It needs the right to patch Clusters there; spec.hold in Git prevails.
` + Notes

// HoldCommand returns "accord hold".
func HoldCommand() *cobra.Command {
	f := &Hold{}
	c := &cobra.Command{
		Use:   "hold CLUSTER --reason TEXT",
		Short: "Put a cluster on hold",
		Long:  holdLong,
		Example: `  accord hold ap-2 --reason INC-4411 --until 48h
  accord hold us-4 --reason "load test" --owner j.doe --until 2026-03-06`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0], time.Now())
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Reason, "reason", "", "reason of the hold (required)")
	flags.StringVar(&f.Owner, "owner", "", "person or team to ask (default the user of git's configuration)")
	flags.StringVar(&f.Until, "until", "", `end of the hold: "48h", "3d", "2026-03-06", "2026-03-06 18:00" (UTC) or a time with its zone`)
	f.register(c, "spec.hold")
	return c
}
