package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/text"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "accord %s %s %s/%s\n",
				text.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
