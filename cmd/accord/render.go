package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/rendered"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const renderLong = `Print the objects of one cluster exactly as they would be applied, in that order.

Replicas are divided, overrides are done, and the marks of accord are on them. With --explain comments say where each
object stands in Git, and where a field was set by an override: by which policy, rule and line.

Values of Secrets are redacted, in a form that no API server accepts; --show-secrets prints them. What is held or failed is
a comment at the top.

The name of the Federation is part of a mark: without --federation it is the one that "accord apply" would use.

Exit codes: 0 rendered, 1 an object could not be rendered, 2 usage error, or there is no such object or cluster.`

type renderFlags struct {
	tree   load.Flags
	output text.FormatFlag
	rendered.Options
}

func renderCommand() *cobra.Command {
	f := &renderFlags{}
	c := &cobra.Command{
		Use:   "render -c CLUSTER [DIR | --repo URL] [KIND/NAME ...]",
		Short: "Print the objects of one cluster as they would be applied",
		Long:  renderLong,
		Example: `  accord render -c eu-7
  accord render -c eu-7 deploy/web --explain
  accord render -c eu-7 --repo https://github.com/team/prod -o json
  diff <(accord render -c eu-7 --commit $OLD --repo .) <(accord render -c eu-7 --repo .)`,
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), args)
		},
	}
	flags := c.Flags()
	f.tree.Register(c)
	f.output.Register(flags, text.AsYAML, text.AsJSON)
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "namespace of the objects (default: any)")
	flags.StringVarP(&f.Cluster, "cluster", "c", "", "cluster to render for (required)")
	flags.BoolVar(&f.Explain, "explain", false, "say where objects and fields come from")
	flags.BoolVar(&f.ShowSecrets, "show-secrets", false, "print the values of Secrets")
	return c
}

func (f *renderFlags) run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	names, dir, err := load.SplitArgs(args)
	switch {
	case err != nil:
		return err
	case f.Cluster == "":
		return errors.New("--cluster is required")
	}
	p, err := f.tree.Plan(ctx, dir, nil)
	if err != nil {
		return err
	}
	if err := p.CheckCluster(f.Cluster); err != nil {
		return err
	}
	r, err := rendered.New(p, f.Options, names)
	if err != nil {
		return err
	}
	if r.Redacted > 0 {
		fmt.Fprintf(stderr, "the values of %s are redacted: --show-secrets prints them\n", text.Count(r.Redacted, "Secret"))
	}
	if err := r.Print(stdout, f.output.Value); err != nil {
		return err
	}
	if len(r.Failed) > 0 {
		return &exit.Error{Code: 1}
	}
	return nil
}
