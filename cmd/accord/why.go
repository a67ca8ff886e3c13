package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/explain"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const whyLong = `Explain one object: which policy claims it, which clusters get it and why not the others, how many replicas, and what
every override makes of it. With --cluster alone, explain one cluster.

It reads a directory or repository as the controllers would, and needs no cluster. KIND is what kubectl takes: deploy,
deployments, deployment.apps, in any case. Without DIR and --repo the current directory is read. No value of a Secret
is ever shown.

With --kubeconfig or $ACCORD_KUBECONFIG it decides by what the hub knows of the clusters and decided before, and adds
what is live: what the hub decided and what the clusters say. The Federation there also says which paths are read and
what is skipped; if there are several, --federation says which one.

Exit codes: 0 explained, 1 mistakes in manifests, 2 usage error, or there is no such object or cluster.`

type whyFlags struct {
	tree      load.Flags
	hub       hub.Flags
	output    text.FormatFlag
	namespace string
	cluster   string
}

func whyCommand() *cobra.Command {
	f := &whyFlags{}
	c := &cobra.Command{
		Use:   "why KIND/NAME [DIR | --repo URL]",
		Short: "Explain where an object goes, and why",
		Long:  whyLong,
		Example: `  accord why deploy/web
  accord why deploy/web -n shop -c eu-7
  accord why deploy/web --repo https://github.com/team/prod --federation prod.yaml
  accord why deploy/web --kubeconfig hub.kubeconfig   # and what is live
  accord why --cluster ap-2                               # the story of a cluster`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), args, c.Flags().Changed("path"))
		},
	}
	flags := c.Flags()
	f.tree.Register(c)
	f.hub.Register(flags)
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub that says what is live (default $" + hub.KubeconfigEnv + ", else none is asked)"
	flags.Lookup("federation").Usage = "manifest of the Federation, or its name on the hub"
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of the object (default: any)")
	flags.StringVarP(&f.cluster, "cluster", "c", "", "only this cluster, in detail")
	f.output.Register(flags, text.AsText, text.AsJSON)
	return c
}

func (f *whyFlags) run(ctx context.Context, out io.Writer, args []string, ownPaths bool) error {
	objects, dir, err := load.SplitArgs(args)
	switch {
	case err != nil:
		return err
	case len(objects) > 1:
		return errors.New("specify one object only")
	case len(objects) == 0 && f.cluster == "":
		return errors.New("specify an object (KIND/NAME) or a cluster (--cluster NAME)")
	}
	live, err := f.tree.ConnectHub(ctx, &f.hub, ownPaths)
	if err != nil {
		return err
	}
	p, err := f.tree.Plan(ctx, dir, live)
	if err != nil {
		return err
	}
	if f.cluster != "" {
		if err := p.CheckCluster(f.cluster); err != nil {
			return err
		}
	}
	if len(objects) == 0 {
		return explain.Cluster(p, live, f.cluster).Print(out, f.output.Value)
	}
	id, err := p.Find(objects[0], f.namespace)
	if err != nil {
		return err
	}
	return explain.Object(p, live, id, f.cluster).Print(out, f.output.Value)
}
