package command

import (
	"github.com/spf13/cobra"
)

const unholdLong = `End the hold of a cluster: it gets the current version, and drift there is repaired.

The command removes spec.hold from the Cluster manifest, or with --on-hub from the Cluster on the hub.
` + Notes

// UnholdCommand returns "accord unhold".
func UnholdCommand() *cobra.Command {
	f := &Unhold{}
	c := &cobra.Command{
		Use:     "unhold CLUSTER",
		Short:   "End the hold of a cluster",
		Long:    unholdLong,
		Example: "  accord unhold ap-2 --push",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.register(c, "spec.hold")
	return c
}
