package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/join"
	"github.com/accord-dev/accord/cmd/accord/text"
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

The hub is --kubeconfig, else $ACCORD_KUBECONFIG, else the current context of --member-kubeconfig.`

func joinCommand() *cobra.Command {
	f := &join.Options{}
	c := &cobra.Command{
		Use:   "join NAME",
		Short: "Make a cluster a member",
		Long:  joinLong,
		Example: `  accord join eu-1 --member-context kind-eu-1 --region eu --label tier=prod
  accord join eu-1 deploy --print-rbac | kubectl --context kind-eu-1 apply -f -`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0], text.First(args[1:]))
		},
	}
	flags := c.Flags()
	f.Hub.Register(flags)
	f.Tree.Register(c)
	flags.StringVar(&f.Kubeconfig, "member-kubeconfig", "", "kubeconfig of the member (default as kubectl)")
	flags.StringVar(&f.Context, "member-context", "", "context in the kubeconfig of the member (default its current one)")
	flags.StringVar(&f.Traits.Provider, "provider", "", "provider, for policies to select by")
	flags.StringVar(&f.Traits.Region, "region", "", "region, for policies to select by")
	flags.StringSliceVar(&f.Traits.Zones, "zone", nil, "zone, for policies to select by (repeatable)")
	flags.StringToStringVar(&f.Traits.Labels, "label", nil, "label of the Cluster, key=value (repeatable)")
	flags.BoolVar(&f.PrintRBAC, "print-rbac", false, "print the identity with the least role for what DIR or --repo delivers there, and do nothing")
	flags.BoolVar(&f.DryRun, "dry-run", false, "check what can be reached, and change nothing")
	flags.BoolVar(&f.AllowHub, "allow-hub", false, "join the hub itself")
	return c
}
