package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/command"
)

const rollbackLong = `Roll back a rollout now: every updated cluster returns to its last healthy revision, rendered from Git. It keeps that revision until
a new commit or "accord resume". This also works after the end of a rollout. For a permanent rollback revert the commit: the
revert goes through the stages.

The command is the annotation ` + policy.CommandPrefix + `rollback of the RolloutPolicy in Git, for one rollout ID (see
"accord approve --help"). With --on-hub it is an annotation of the Release on the hub.
` + command.Notes

func rollbackCommand() *cobra.Command {
	return command.ForRollout(&command.RolloutCommand{Do: policy.CommandRollback}, &cobra.Command{
		Use:   "rollback [ROLLOUT]",
		Short: "Roll back a rollout now",
		Long:  rollbackLong,
		Example: `  accord rollback standard --on-hub
  accord rollback standard --reason INC-4411 --push`,
	})
}
