package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/explain"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const whyLong = `Explain one object: the policy that claims it, its clusters, the reasons for all other clusters, its replicas, and the effect of
every override. With --cluster alone, explain one cluster.

Why reads a directory or repository as the controllers do, and needs no cluster. KIND is written as for kubectl: deploy,
deployments, deployment.apps, in any case. Without DIR and --repo, why reads the current directory. It does not print values of
Secrets.

With --kubeconfig or $ACCORD_KUBECONFIG it uses the facts and previous decisions of the hub, and adds the live state: the
decision of the hub and the status of the clusters. The paths and skip rules are those of the Federation on the hub; if
there are several, select one with --federation.

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
		Short: "Explain the placement of an object",
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
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub with the live state (default $" + hub.KubeconfigEnv + ", else no hub)"
	flags.Lookup("federation").Usage = "manifest of the Federation, or its name on the hub"
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of the object (default any)")
	flags.StringVarP(&f.cluster, "cluster", "c", "", "explain this cluster only, in detail")
	f.output.Register(flags, text.AsText, text.AsJSON)
	return c
}

func (f *whyFlags) run(ctx context.Context, out io.Writer, args []string, ownPaths bool) error {
	objects, dir, err := load.SplitArgs(args)
	switch {
	case err != nil:
		return err
	case len(objects) > 1:
		return fmt.Errorf("specify one object only, got %s and %s; write a directory as ./%[2]s", objects[0], objects[1])
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
