package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
)

const joinLong = `Make a cluster a member: an identity for accord on the cluster, a Cluster and its credentials on the hub.

On the cluster it makes the ServiceAccount accord-system/accord. Any kind may stand in Git, therefore that account is
bound to cluster-admin. To give it the least that it takes, let --print-rbac derive a role from what Git delivers there
(DIR or --repo, as for "accord lint"; --region and the like stand in for a Cluster that Git does not declare), apply that,
then join: a ClusterRoleBinding "accord" that exists is left as it is. When a commit brings a new kind, print and apply it
anew before that commit is merged; until then accord reports by name what it may not apply. Leave the rights for a kind that
goes until its objects are gone.

The credential is a token. Where the cluster fills token Secrets (kube-controller-manager does) it is valid until the
Secret is deleted; elsewhere it is valid for at most a year, and the date is printed. Joining again renews it.

The hub is --hub-kubeconfig, else $ACCORD_KUBECONFIG, else the current context of --kubeconfig.`

// joinFlags of one join.
type joinFlags struct {
	hub        hubFlags
	tree       treeFlags
	kubeconfig string
	context    string
	traits     traits
	printRBAC  bool
	dryRun     bool
	allowHub   bool
}

func joinCommand() *cobra.Command {
	f := &joinFlags{}
	c := &cobra.Command{
		Use:   "join NAME",
		Short: "Make a cluster a member",
		Long:  joinLong,
		Example: `  accord join eu-1 --context kind-eu-1 --region eu --label tier=prod
  accord join eu-1 deploy --print-rbac | kubectl --context kind-eu-1 apply -f -`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), args[0], firstOf(args[1:]))
		},
	}
	flags := c.Flags()
	f.hub.register(flags)
	f.tree.register(c)
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig with the cluster (default as kubectl)")
	flags.StringVar(&f.context, "context", "", "context of the cluster in that kubeconfig (default its current one)")
	flags.StringVar(&f.traits.provider, "provider", "", "provider, for policies to select by")
	flags.StringVar(&f.traits.region, "region", "", "region, for policies to select by")
	flags.StringSliceVar(&f.traits.zones, "zone", nil, "zone, for policies to select by (repeatable)")
	flags.StringToStringVar(&f.traits.labels, "label", nil, "label of the Cluster, key=value (repeatable)")
	flags.BoolVar(&f.printRBAC, "print-rbac", false, "print the identity with the least role for what DIR or --repo delivers there, and do nothing")
	flags.BoolVar(&f.dryRun, "dry-run", false, "check what can be reached, and change nothing")
	flags.BoolVar(&f.allowHub, "allow-hub", false, "join the hub itself")
	return c
}

func (f *joinFlags) run(ctx context.Context, out io.Writer, name, dir string) error {
	if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 || len(name) > 48 {
		return fmt.Errorf("cluster name %q: expected at most 48 of a-z, 0-9 and \"-\", with a letter or digit at both ends", name)
	}
	if f.printRBAC {
		return f.printRights(ctx, out, name, dir)
	}
	if dir != "" || f.tree.repo != "" {
		return errors.New("a directory or --repo says what is delivered, which is asked for with --print-rbac only")
	}
	c, err := f.candidate()
	if err != nil {
		return err
	}
	f.hub.kubeconfig = cmp.Or(f.hub.path(), f.kubeconfig)
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	hubID, err := f.tellApart(ctx, h, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "cluster %s: %s\n", name, c.config.Host)
	fmt.Fprintf(out, "  found        %s\n", c.survey(ctx))
	if f.dryRun {
		_, err := fmt.Fprintf(out, "  dry run      nothing was changed; the hub is %s\n", h.config.Host)
		return err
	}
	return f.join(ctx, out, name, hubID, h, c)
}
