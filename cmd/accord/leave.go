package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/join"
)

const leaveLong = `Remove a member: stop the delivery, revoke accord's identity on the cluster, and delete the credentials and the Cluster on the hub.

On the cluster, leave deletes what join created: the ClusterRoleBinding accord, the ServiceAccount accord-system/accord, its roles and
its tokens. If another hub uses the identity, leave ends the tokens of this hub only. The delivered objects run on, and each
Federation lists them in status.removedClusters. You choose what becomes of them:

  (default)  they keep the marks and the inventory of accord, so that a hub that the cluster joins later continues with them
  --release  they stay, and leave removes the marks and the inventory: accord then knows nothing of them
  --prune    leave deletes them, except those that accord adopted

To release the objects after the cluster has left, run leave again with --release and --member-context.

Leave connects with the credentials on the hub. Their default role suffices to end the token, and leave prints the objects that stay.
To delete these, too, name an administrator of the cluster with --member-context. A cluster that cannot be reached leaves with
--force; leave then prints the objects that it could not delete. An interrupted leave continues when you run it again. If Git declares the Cluster, remove it from Git first; then leave with
--member-context revokes the identity.`

func leaveCommand() *cobra.Command {
	f := &join.Leave{}
	c := &cobra.Command{
		Use:   "leave NAME",
		Short: "Remove a member and revoke its credentials",
		Long:  leaveLong,
		Example: `  accord leave eu-1
  accord leave eu-1 --release
  accord leave eu-1 --prune --member-context kind-eu-1`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.Run(c.Context(), c.OutOrStdout(), args[0]) },
	}
	f.Register(c.Flags())
	c.MarkFlagsMutuallyExclusive("prune", "release")
	return c
}

const unjoinLong = `Remove a member as Karmada does: delete what accord delivered to it, revoke accord's identity, and delete the credentials and the Cluster
on the hub. Objects that existed before accord delivered them stay.

This is "accord leave --prune". "accord leave" lets the delivered objects run on.`

func unjoinCommand() *cobra.Command {
	f := &join.Leave{Prune: true}
	c := &cobra.Command{
		Use:     "unjoin NAME",
		Short:   "Remove a member and delete the objects that it got",
		Long:    unjoinLong,
		Example: "  accord unjoin eu-1\n  accord unjoin eu-1 --member-context kind-eu-1",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return f.Run(c.Context(), c.OutOrStdout(), args[0]) },
	}
	f.RegisterConnection(c.Flags())
	return c
}
