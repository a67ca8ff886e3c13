package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/command"
)

const abortLong = `Halt a rollout now: no further cluster is updated until a new commit or "accord resume". Updated clusters keep their version.

The command is the annotation ` + policy.CommandPrefix + `abort of the RolloutPolicy in Git, for one rollout ID (see
"accord approve --help"). With --on-hub it is an annotation of the Release on the hub.
` + command.Notes

func abortCommand() *cobra.Command {
	return command.ForRollout(&command.RolloutCommand{Do: policy.CommandAbort}, &cobra.Command{
		Use:   "abort [ROLLOUT]",
		Short: "Halt a rollout now",
		Long:  abortLong,
		Example: `  accord abort standard --on-hub
  accord abort standard --reason INC-4411 --push`,
	})
}
