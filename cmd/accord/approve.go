package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/command"
)

const approveLong = `Approve a stage whose gate waits for a person (approval: Manual).

An approval is about one target, which is what is rolled out, to where: when that changes, it has no meaning any more. The
hub says which it is, and which stage has its turn; without a hub name --rollout-id and --stage, as "accord status" shows them.

It is the annotation ` + policy.CommandPrefix + `approve of the RolloutPolicy, written to Git. With --on-hub it is one of
the Release on the hub: who may is then a question of the rights to patch Releases there.
` + command.Notes

func approveCommand() *cobra.Command {
	o := &command.RolloutCommand{Do: policy.CommandApprove}
	c := command.Ordering(o, &cobra.Command{
		Use:   "approve [ROLLOUT]",
		Short: "Approve a stage of a rollout",
		Long:  approveLong,
		Example: `  accord approve standard --push
  accord approve standard --stage canary --rollout-id 1f0c9e21aa04
  accord approve --on-hub`,
	})
	c.Flags().StringVar(&o.Stage, "stage", "", "stage that is approved (default the one that has its turn)")
	return c
}
