package main

import "github.com/spf13/cobra"

func rolloutCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "rollout",
		Short: "Show past rollouts",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(historyCommand())
	return c
}
