package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/rendered"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

const renderLong = `Print the objects of one cluster exactly as they would be applied, in the order of application.

Replicas are divided, overrides are applied, and accord's labels and annotations are set. With --explain, comments name the place
of each object in Git, and the policy, rule and line of each field that an override set.

Values of Secrets are redacted, in a form that no API server accepts; --show-secrets prints them. Objects that are held or
failed are comments at the top.

Clusters and previous decisions come from the hub (--kubeconfig or $ACCORD_KUBECONFIG) or from its facts (--fleet-file), if there
are any, beside the Clusters in Git.

The name of the Federation is part of a label. Without --federation it is the name that "accord deliver" would use.

Exit codes: 0 rendered, 1 an object could not be rendered, 2 usage error, or there is no such object or cluster.`

type renderFlags struct {
	tree   load.Flags
	hub    hub.Flags
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
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), args, c.Flags().Changed("path"))
		},
	}
	flags := c.Flags()
	f.tree.Register(c)
	f.tree.RegisterFacts(c, &f.hub)
	f.output.Register(flags, text.AsYAML, text.AsJSON)
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "namespace of the objects (default any)")
	flags.StringVarP(&f.Cluster, "cluster", "c", "", "cluster (required)")
	flags.BoolVar(&f.Explain, "explain", false, "add comments with the origin of objects and fields")
	flags.BoolVar(&f.ShowSecrets, "show-secrets", false, "print the values of Secrets")
	return c
}

func (f *renderFlags) run(ctx context.Context, stdout, stderr io.Writer, args []string, ownPaths bool) error {
	names, dir, err := load.SplitArgs(args)
	switch {
	case err != nil:
		return err
	case f.Cluster == "":
		return errors.New("--cluster is required")
	}
	live, err := f.tree.ConnectHub(ctx, &f.hub, ownPaths)
	if err != nil {
		return err
	}
	p, err := f.tree.Plan(ctx, dir, live)
	if err == nil {
		err = live.FactsErr()
	}
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
		fmt.Fprintf(stderr, "the values of %s are redacted: --show-secrets prints them\n", phrase.Count(r.Redacted, "Secret"))
	}
	if err := r.Print(stdout, f.output.Value); err != nil {
		return err
	}
	if len(r.Failed) > 0 {
		return &exit.Error{Code: 1}
	}
	return nil
}
