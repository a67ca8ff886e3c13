package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/drain"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const purgeLong = `Allow accord to delete the old copy that an eviction with purgeMode Never keeps.

The command sets suppressDeletion to false in spec.gracefulEvictionTasks of the FederatedObject on the hub. accord then deletes the copy
on the cluster as soon as a replacement is healthy. It needs the right to patch FederatedObjects there.`

// Purge allows the deletion of an old copy.
type Purge struct {
	hub                hub.Flags
	cluster, namespace string
	output             text.FormatFlag
}

// PurgeCommand returns "accord purge".
func PurgeCommand() *cobra.Command {
	f := &Purge{}
	c := &cobra.Command{
		Use:     "purge KIND/NAME --cluster CLUSTER",
		Short:   "Delete the old copy that an eviction keeps",
		Long:    purgeLong,
		Example: "  accord purge deployment/web --cluster eu-1\n  accord purge configmap/settings -n shop --cluster eu-1",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return f.Run(c.Context(), c.OutOrStdout(), args[0]) },
	}
	c.Flags().StringVarP(&f.cluster, "cluster", "c", "", "cluster with the old copy (required)")
	c.Flags().StringVarP(&f.namespace, "namespace", "n", "", "namespace of the object (default any)")
	f.hub.Register(c.Flags())
	f.output.Register(c.Flags(), text.AsText, text.AsJSON)
	return c
}

// Run sets suppressDeletion of the task.
func (f *Purge) Run(ctx context.Context, out io.Writer, object string) error {
	if f.cluster == "" {
		return fmt.Errorf("specify the cluster with the old copy: --cluster NAME")
	}
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	if err := h.CheckClusters(ctx, []string{f.cluster}); err != nil {
		return err
	}
	list := &v1alpha1.FederatedObjectList{}
	if err := h.List(ctx, list); err != nil {
		return h.Wrap("reading the objects of the hub", err)
	}
	o, task, err := drain.Suppressed(list.Items, object, f.namespace, f.cluster)
	if err != nil {
		return err
	}
	before := o.DeepCopy()
	o.Spec.GracefulEvictionTasks[task].SuppressDeletion = new(false)
	if err := h.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return h.Wrap("changing FederatedObject "+o.Namespace+"/"+o.Name, err)
	}
	done := Result{Subject: fmt.Sprintf("allow the deletion of %s on %s", o.Spec.Template.ID(), f.cluster), Cluster: f.cluster}
	return done.print(out, f.output.Value)
}
