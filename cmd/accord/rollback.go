package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/command"
)

const rollbackLong = `Roll back now: every cluster that got the new version gets back what it last had healthy, rendered from Git at that revision. It
stays there until what is rolled out changes in Git, or "accord resume". It also works after the end of a rollout. To undo a
change for good revert its commit: that goes through the stages.

It is the annotation ` + policy.CommandPrefix + `rollback of the RolloutPolicy, about one target (see "accord approve --help"),
or with --on-hub of the Release on the hub.
` + command.Notes

func rollbackCommand() *cobra.Command {
	return command.Ordering(&command.RolloutCommand{Do: policy.CommandRollback}, &cobra.Command{
		Use:   "rollback [ROLLOUT]",
		Short: "Give clusters back what they had",
		Long:  rollbackLong,
		Example: `  accord rollback standard --on-hub
  accord rollback standard --reason INC-4411 --push`,
	})
}
