package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/command"
)

const suspendLong = `Pause a rollout, or suspend a policy or a federation.

The edit depends on the kind of the named manifest:
  RolloutPolicy                  spec.paused and spec.pauseReason, or those of a --stage: no further cluster is updated
  PropagationPolicy and          spec.suspension.dispatching: true, as in Karmada: accord does not change the objects of the
  ClusterPropagationPolicy       policy on any cluster. A suspension on some clusters (dispatchingOnClusters) is replaced,
                                 and an annotation keeps it for "accord resume"
  Federation                     spec.suspend: true: accord does not fetch the sources

"accord resume" reverts the edit.
` + command.Notes

func suspendCommand() *cobra.Command {
	f := &command.Suspension{}
	c := &cobra.Command{
		Use:   "suspend ROLLOUT|POLICY|FEDERATION --reason TEXT",
		Short: "Pause a rollout, a policy or a federation",
		Long:  suspendLong,
		Example: `  accord suspend standard --stage world --reason "waiting for the DBA"
  accord suspend shop/web --kind PropagationPolicy --reason INC-4411 --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Suspend(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.Register(c)
	c.Flags().StringVar(&f.Reason, "reason", "", "reason of the suspension (required)")
	return c
}
