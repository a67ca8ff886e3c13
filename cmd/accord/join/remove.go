package join

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/command"
)

const clusterRemoveLong = `Remove a cluster from the hub, as "karmadactl unjoin" does.

With --evict, every object first moves to other clusters, as with "accord drain --on-hub". The cluster is removed when no object is left
on it. If objects cannot leave, the cluster stays, and the command lists them; with --force it is removed, and these objects run on.
With --keep, the delivered objects run on, and each Federation lists them in status.removedClusters. Other clusters do not get them
unless the policies choose other clusters.

The command then does the same as "accord leave": it revokes accord's identity on the cluster and deletes the credentials and the Cluster
on the hub. If Git declares the Cluster, drain it with "accord drain CLUSTER --push", remove the manifest, and use "accord leave".`

// clusterRemoval removes a cluster, with its objects evicted or not.
type clusterRemoval struct {
	Leave
	evict, keep bool
	timeout     time.Duration
}

// ClusterCommand returns "accord cluster".
func ClusterCommand() *cobra.Command {
	c := &cobra.Command{Use: "cluster", Short: "Remove a cluster from the hub", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(clusterRemoveCommand())
	return c
}

func clusterRemoveCommand() *cobra.Command {
	f := &clusterRemoval{}
	c := &cobra.Command{
		Use:     "remove CLUSTER --evict|--keep",
		Short:   "Remove a cluster, with or without its objects",
		Long:    clusterRemoveLong,
		Example: "  accord cluster remove eu-7 --evict\n  accord cluster remove eu-7 --keep --member-context kind-eu-7",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c.Context(), c.OutOrStdout(), args[0]) },
	}
	flags := c.Flags()
	f.RegisterConnection(flags)
	flags.BoolVar(&f.evict, "evict", false, "move every object to other clusters first")
	flags.BoolVar(&f.keep, "keep", false, "leave the delivered objects on the cluster")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Minute, "maximum time of the eviction")
	c.MarkFlagsOneRequired("evict", "keep")
	c.MarkFlagsMutuallyExclusive("evict", "keep")
	return c
}

func (f *clusterRemoval) run(ctx context.Context, out io.Writer, cluster string) error {
	if f.evict {
		if err := command.DrainOnHub(ctx, out, f.Hub, cluster, f.timeout); err != nil && !f.Force {
			return err
		}
	}
	return f.Leave.Run(ctx, out, cluster)
}
