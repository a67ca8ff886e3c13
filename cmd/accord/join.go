package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/join"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const joinLong = `Make a cluster a member: create an identity for accord on the cluster, and a Cluster with its credentials on the hub.

On the cluster, join creates the ServiceAccount accord-system/accord, and a ClusterRole accord with the built-in kinds of workloads
and namespaces. --secrets and --crds add those kinds, --admin grants all rights. For a role that fits exactly, use --print-rbac: it
derives a role from the objects that Git delivers to the cluster (DIR or --repo, as for "accord lint"; --region and similar flags
replace a Cluster that Git does not declare). Apply the role, then join: join does not change an existing ClusterRoleBinding "accord",
nor a role that it did not make. If a commit adds a kind, print and apply the role again before you merge the commit; until then
accord reports the objects that it may not apply. Keep the rights for a kind until its objects are deleted.

The credential is a token of 24 hours (--token-lifetime). accord renews it when half of its life is over. After a longer
interruption of accord the token has expired: join again. The hub keeps the token in a Secret of type accord.dev/cluster, which names
the Cluster and the server; accord sends the token nowhere else.

One cluster has one name: join compares the UID of the namespace kube-system with those of all members, and writes it to spec.id of
the Cluster. It refuses a cluster that is a member under another name, and a name that another cluster has. With --replace, a new
cluster takes over the name; the objects and the identity on the former cluster stay there.

The hub is --kubeconfig, else $ACCORD_KUBECONFIG, else the current context of --member-kubeconfig.`

func joinCommand() *cobra.Command {
	f := &join.Options{}
	c := &cobra.Command{
		Use:   "join NAME",
		Short: "Make a cluster a member",
		Long:  joinLong,
		Example: `  accord join eu-1 --member-context kind-eu-1 --region eu --label tier=prod --write clusters/eu-1.yaml
  accord join eu-1 deploy --print-rbac | kubectl --context kind-eu-1 apply -f -`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0], text.First(args[1:]))
		},
	}
	f.Register(c)
	return c
}
