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
	"github.com/accord-dev/accord/cmd/accord/text"
)

const cordonLong = `Mark a cluster as unschedulable: no new object goes there, and objects that are there stay and are updated.

The command adds the taint ` + v1alpha1.TaintUnschedulable + `:NoSchedule, as Karmada does, to spec.taints of the Cluster manifest.
With --on-hub it changes the Cluster on the hub, which must not be declared in Git. To stop updates as well, use "accord hold".

With --on-hub, and with --push if a hub is named, the command waits until the controllers have seen the taint: every plan that begins
then sends no new object to the cluster. Otherwise run it again when the commit is merged: it waits if the cluster has the taint already.
Nothing leaves the cluster, so there are no replacements to wait for; "accord drain" moves the objects and waits for theirs.

Exit codes:
  0  the controllers have seen the taint, or nothing was waited for
  2  usage error, or an error of accord itself
  3  timeout
` + Notes

// Cordon marks a cluster as unschedulable.
type Cordon struct {
	Taint
	timeout time.Duration
}

// CordonCommand returns "accord cordon".
func CordonCommand() *cobra.Command {
	f := &Cordon{}
	c := &cobra.Command{
		Use:     "cordon CLUSTER",
		Short:   "Mark a cluster as unschedulable",
		Long:    cordonLong,
		Example: "  accord cordon eu-7 --push\n  accord cordon eu-7 --on-hub --timeout 30s",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	c.Flags().DurationVar(&f.timeout, "timeout", 5*time.Minute, "maximum time to wait; 0 does not wait")
	f.register(c, "spec.taints")
	return c
}

// Run adds the taint and waits until the controllers have seen it.
func (f *Cordon) Run(ctx context.Context, out io.Writer, cluster string) error {
	add := taintChange{key: v1alpha1.TaintUnschedulable, effect: corev1.TaintEffectNoSchedule}
	err := f.change(ctx, out, cluster, "cordon cluster "+cluster, always([]taintChange{add}))
	_, present := errors.AsType[errPresent](err)
	if err != nil && !present {
		return err
	}
	if f.timeout <= 0 || f.hub.Path() == "" || f.dryRun || !present && !f.published() {
		return err
	}
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	if err := h.CheckClusters(ctx, []string{cluster}); err != nil {
		return err
	}
	if f.output.Value == text.AsJSON {
		out = io.Discard
	}
	return (&drain.Cordon{Hub: h, Cluster: cluster, Timeout: f.timeout}).Run(ctx, out)
}

// published reports whether the hub gets the change without another step of a person.
func (f *Taint) published() bool { return f.onHub || f.push && f.branch == "" && !f.pull }
