package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/command"
)

const approveLong = `Approve a stage with a manual gate (approval: Manual), or with --plan the plan of a Federation.

An approval is for one rollout ID, which identifies the version and the clusters; it has no effect on other versions. The hub
has the ID and the current stage. Without a hub, set --rollout-id and --stage to the values of "accord status".

The command is the annotation ` + policy.CommandPrefix + `approve of the RolloutPolicy in Git. With --on-hub it is an annotation
of the Release on the hub with your user name, and needs the right to patch Releases there.
` + command.PlanNotes + command.Notes

func approveCommand() *cobra.Command {
	o := &command.RolloutCommand{Do: policy.CommandApprove}
	return command.ForRollout(o, &cobra.Command{
		Use:   "approve [ROLLOUT]",
		Short: "Approve a stage of a rollout, or a plan",
		Long:  approveLong,
		Example: `  accord approve standard --push
  accord approve standard --stage canary --rollout-id 1f0c9e21aa04
  accord approve --on-hub
  accord approve --plan sha256:4f2c9e1a0b3c`,
	})
}
