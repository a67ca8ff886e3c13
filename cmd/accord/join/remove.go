package join

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/command"
	"github.com/accord-dev/accord/cmd/accord/exit"
)

const clusterRemoveLong = `Remove a cluster from the hub, as "karmadactl unjoin" does.

With --evict, every object first moves to other clusters, as with "accord drain --on-hub". The cluster is removed when no object is left
on it. If objects cannot leave, the cluster stays, and the command lists them; with --force it is removed, and these objects run on.
If the cluster does not answer, the command waits until the replacements are healthy, and --force then removes the cluster.
With --keep, the delivered objects run on, and each Federation lists them in status.removedClusters. Other clusters do not get them
unless the policies choose other clusters.

The command then does the same as "accord leave": it revokes accord's identity on the cluster and deletes the credentials and the Cluster
on the hub. If Git declares the Cluster, drain it with "accord drain CLUSTER --push", remove the manifest, and use "accord leave".

Exit codes:
  0  the cluster is removed
  1  with --evict: objects cannot leave, and the cluster stays
  2  usage error, or an error of accord itself
  3  with --evict: timeout, and the cluster stays`

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
		if err := f.evictAll(ctx, out, cluster); err != nil {
			return err
		}
	}
	return f.Leave.Run(ctx, out, cluster)
}

// evictAll drains a cluster that may be removed. With --force, objects may be left on it.
func (f *clusterRemoval) evictAll(ctx context.Context, out io.Writer, cluster string) error {
	if f.timeout <= 0 {
		return fmt.Errorf("--timeout is %s, expected more than 0: the cluster is removed when no object is left on it", f.timeout)
	}
	l, err := f.find(ctx, out, cluster)
	if err != nil || l.gone { // nothing moves for a removal that is refused
		return err
	}
	err = command.DrainOnHub(ctx, out, f.Hub, cluster, f.timeout)
	left, ok := errors.AsType[*exit.Error](err)
	if !ok {
		return err
	}
	if f.Force {
		return nil
	}
	return &exit.Error{Code: left.Code, Err: fmt.Errorf("cluster %s stays, and is drained: objects are on it; run the command again when they can leave, "+
		"remove the cluster without them with --force, or end the drain with \"accord uncordon %s --on-hub\"", cluster, cluster)}
}
