package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/text"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the platform of this binary",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(c.OutOrStdout(), text.Build())
			return err
		},
	}
}
