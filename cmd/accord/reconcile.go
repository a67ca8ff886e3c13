package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const reconcileLong = `Ask the controllers to read the sources of a federation now, in place of at the next interval.

The command sets the annotation reconcile.accord.dev/requestedAt of the Federation, and needs the right to patch it. With --wait it
also waits until the sources were read. To wait until a commit is live, use "accord wait", which asks by itself.`

type reconcileFlags struct {
	hub     hub.Flags
	wait    bool
	retry   bool
	timeout time.Duration
}

func reconcileCommand() *cobra.Command {
	f := &reconcileFlags{}
	c := &cobra.Command{
		Use:   "reconcile [FEDERATION]",
		Short: "Read the sources of a federation now",
		Long:  reconcileLong,
		Example: `  accord reconcile
  accord reconcile prod/shop --wait`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), text.First(args))
		},
	}
	f.hub.RegisterWithNamespace(c.Flags())
	c.Flags().BoolVar(&f.wait, "wait", false, "wait until the sources were read")
	c.Flags().BoolVar(&f.retry, "retry-poisoned", false, "also plan a revision again that was refused because it killed the controllers twice")
	c.Flags().DurationVar(&f.timeout, "timeout", time.Minute, "maximum time to wait")
	return c
}

func (f *reconcileFlags) run(ctx context.Context, out, stderr io.Writer, name string) error {
	if f.timeout <= 0 {
		return errors.New("--timeout must be positive")
	}
	h, fed, err := f.hub.ConnectTo(ctx, name)
	if err != nil {
		return err
	}
	if fed.Spec.Suspend {
		return fmt.Errorf("federation %s is suspended and reads no sources: set spec.suspend to false", h.Title(fed))
	}
	ask := h.RequestReconciliation
	if f.retry {
		ask = h.RetryPoisoned
	}
	request, err := ask(ctx, fed)
	if err != nil {
		return err
	}
	if !f.wait {
		_, err := fmt.Fprintf(out, "%s: reconciliation requested\n", h.Title(fed))
		return err
	}
	now, err := h.WaitForReconciliation(ctx, fed, request, time.Now().Add(f.timeout), stderr)
	if err != nil {
		return fmt.Errorf("reconciling %s: %w", h.Title(fed), err)
	}
	if problem := progress.SourceError(now); problem != "" {
		return fmt.Errorf("reconciling %s: %s", h.Title(fed), problem)
	}
	_, err = fmt.Fprintf(out, "%s: reconciled, at %s\n", h.Title(fed), text.ShortRevision(now.Status.LastAttemptedRevision))
	return err
}
