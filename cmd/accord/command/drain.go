package command

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/drain"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const drainLong = `Move all objects of a cluster to other clusters, and wait until they have left.

The command adds the taint ` + v1alpha1.TaintDrain + `:NoExecute to spec.taints of the Cluster manifest, or with --on-hub to the Cluster on
the hub, which must not be declared in Git. Every object leaves the cluster, with and without failover in its policy, and nothing
tolerates the taint. With purgeMode Gracefully, the default, the old copy stays until the replacement is healthy.

With --push and --on-hub the command then waits, and prints a line for each change. Otherwise run it again when the commit is merged:
it waits if the cluster has the taint already. It lists the objects that cannot leave, with the reason: no other cluster fits, a
person holds them, they are stateful and spec.failover.stateful of the Federation is not true, or they are Jobs that have finished.
If the cluster does not answer, its copies stay there, and the command ends when the replacements are healthy.
"accord uncordon" ends the drain.

Exit codes:
  0  no object is left on the cluster, or nothing was waited for
  1  objects cannot leave
  2  usage error, or an error of accord itself
  3  timeout
` + Notes

// Drain moves the objects of a cluster to other clusters.
type Drain struct {
	Taint
	timeout time.Duration
}

// DrainCommand returns "accord drain".
func DrainCommand() *cobra.Command {
	f := &Drain{}
	c := &cobra.Command{
		Use:     "drain CLUSTER",
		Short:   "Move all objects away from a cluster",
		Long:    drainLong,
		Example: "  accord drain eu-7 --push\n  accord drain eu-7 --on-hub --timeout 1h",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	c.Flags().DurationVar(&f.timeout, "timeout", 30*time.Minute, "maximum time to wait; 0 does not wait")
	f.register(c, "spec.taints")
	return c
}

// DrainOnHub adds the taint to the Cluster on the hub and waits until the objects have left.
func DrainOnHub(ctx context.Context, out io.Writer, h hub.Flags, cluster string, timeout time.Duration) error {
	f := &Drain{timeout: timeout}
	f.hub, f.onHub, f.output.Value = h, true, text.AsText
	return f.Run(ctx, out, cluster)
}

// Run adds the taint and waits until the objects have left.
func (f *Drain) Run(ctx context.Context, out io.Writer, cluster string) error {
	add := taintChange{key: v1alpha1.TaintDrain, effect: corev1.TaintEffectNoExecute}
	err := f.change(ctx, out, cluster, "drain cluster "+cluster, always([]taintChange{add}))
	_, present := errors.AsType[errPresent](err)
	if err != nil && !present {
		return err
	}
	if f.timeout <= 0 || f.dryRun || !present && !f.published() {
		return nil
	}
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	if err := h.CheckClusters(ctx, []string{cluster}); err != nil {
		return err
	}
	return (&drain.Wait{Hub: h, Cluster: cluster, Timeout: f.timeout, Format: f.output.Value}).Run(ctx, out)
}
