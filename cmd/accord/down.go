package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/background"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// detachFlag is the flag of "accord up" that does not reach the process in the background.
const detachFlag = "detach"

const downLong = `Stop the hub that "accord up" runs with this data directory, and return when it has ended.

The data stays: the next "accord up" continues. Delivered objects stay on the members.`

func downCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "down --data-dir DIR",
		Short:   "Stop the hub of \"accord up\"",
		Long:    downLong,
		Example: "  accord down --data-dir ~/.accord",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return down(c.Context(), dir, c.OutOrStdout()) },
	}
	c.Flags().StringVar(&dir, "data-dir", "", "the data directory of \"accord up\" (required)")
	return c
}

func down(ctx context.Context, dir string, out io.Writer) error {
	if dir == "" {
		return errors.New("--data-dir is required")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("resolving the data directory: %w", err)
	}
	pid, err := background.Stop(ctx, dir)
	if err != nil {
		return err
	}
	text := "no hub runs with " + dir + "\n"
	if pid != 0 {
		text = fmt.Sprintf("stopped: process %d; the data stays in %s\n", pid, dir)
	}
	_, err = io.WriteString(out, text)
	return err
}

// startInBackground runs this command line again, and returns when the hub and its aggregated API answer.
func startInBackground(ctx context.Context, dir string, out io.Writer) error {
	flags := hub.Flags{Kubeconfig: filepath.Join(dir, "kubeconfig"), Timeout: time.Second}
	ready := func(ctx context.Context) bool {
		h, err := flags.Connect()
		if err != nil {
			return false
		}
		served, _, err := h.Versions(ctx)
		return err == nil && served != ""
	}
	return background.Start(ctx, dir, append(slices.Clone(os.Args[1:]), "--"+detachFlag+"=false"), ready, out)
}
