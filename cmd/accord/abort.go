package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/command"
)

const abortLong = `Halt a rollout now: no further cluster gets anything, until what is rolled out changes in Git, or "accord resume". What was
given stays.

It is the annotation ` + policy.CommandPrefix + `abort of the RolloutPolicy, about one target (see "accord approve --help"),
or with --on-hub of the Release on the hub.
` + command.Notes

func abortCommand() *cobra.Command {
	return command.Ordering(&command.RolloutCommand{Do: policy.CommandAbort}, &cobra.Command{
		Use:   "abort [ROLLOUT]",
		Short: "Halt a rollout now",
		Long:  abortLong,
		Example: `  accord abort standard --on-hub
  accord abort standard --reason INC-4411 --push`,
	})
}
