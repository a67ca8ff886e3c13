package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/command"
)

const resumeLong = `Revert "accord suspend", or retry a rollout that was halted or rolled back.

A retry starts the deadlines again; after a rollback it begins with the first stage. A retry is a command about one rollout (see
"accord approve --help").
` + command.Notes

func resumeCommand() *cobra.Command {
	f := &command.Resumption{}
	c := &cobra.Command{
		Use:   "resume ROLLOUT|POLICY|FEDERATION",
		Short: "Revert a suspension, or retry a halted rollout",
		Long:  resumeLong,
		Example: `  accord resume standard --stage world
  accord resume standard --rollout-id 1f0c9e21aa04      # what was halted or rolled back`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.Register(c)
	return c
}
