package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/command"
)

const suspendLong = `Pause a rollout, a policy or a federation.

What is written depends on what has the name:
  RolloutPolicy                  spec.paused and spec.pauseReason, or those of a --stage: no further cluster gets the change; what was given is judged
  PropagationPolicy and          spec.suspension.dispatching: true, Karmada's way: hands off the objects of the policy, everywhere
  ClusterPropagationPolicy
  Federation                     spec.suspend: true, the sources are not looked at any more

"accord resume" takes it back.
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
	c.Flags().StringVar(&f.Reason, "reason", "", "why, for everybody who wonders")
	return c
}
