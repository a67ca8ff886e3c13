package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/command"
)

const resumeLong = `Take back what "accord suspend" wrote. A RolloutPolicy that is not paused, but whose rollout was halted or rolled back, is
tried again: deadlines begin anew, and after a rollback it starts with the first stage. That is an order about one target (see
"accord approve --help").
` + command.Notes

func resumeCommand() *cobra.Command {
	f := &command.Resumption{}
	c := &cobra.Command{
		Use:   "resume ROLLOUT|POLICY|FEDERATION",
		Short: "End a pause, or try again what was halted",
		Long:  resumeLong,
		Example: `  accord resume standard --stage world
  accord resume standard --rollout-id 1f0c9e21aa04      # what was halted or rolled back`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.Suspension.Register(c)
	f.RolloutFlags.Register(c)
	return c
}
