package main

import (
	"github.com/spf13/cobra"
)

const suspendLong = `Pause a rollout, a policy or a federation.

What is written depends on what has the name:
  RolloutPolicy                  spec.paused and spec.pauseReason, or those of a --stage: no further cluster gets the change; what was given is judged
  PropagationPolicy and          spec.suspension.dispatching: true, Karmada's way: hands off the objects of the policy, everywhere
  ClusterPropagationPolicy
  Federation                     spec.suspend: true, the sources are not looked at any more

"accord resume" takes it back.
` + orderNotes

func suspendCommand() *cobra.Command {
	f := &suspensionChange{}
	c := &cobra.Command{
		Use:   "suspend ROLLOUT|POLICY|FEDERATION --reason TEXT",
		Short: "Pause a rollout, a policy or a federation",
		Long:  suspendLong,
		Example: `  accord suspend standard --stage world --reason "waiting for the DBA"
  accord suspend shop/web --kind PropagationPolicy --reason INC-4411 --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.suspend(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.reason, "reason", "", "why, for everybody who wonders")
	return c
}
