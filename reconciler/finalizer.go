package reconciler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// finalizing owns the finalizer of Clusters, beside what declares them and what their status is written by.
const finalizing = client.FieldOwner("accord-finalizer")

// putFinalizer puts the finalizer on a Cluster that does not have it. One that is gone, or another of the same name, is left
// alone: the uid is sent along, and with it an apply makes nothing new.
func putFinalizer(ctx context.Context, hub client.Client, c *v1alpha1.Cluster) error {
	if c.DeletionTimestamp != nil || slices.Contains(c.Finalizers, v1alpha1.LeftBehindFinalizer) {
		return nil
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Cluster"))
	u.SetName(c.Name)
	u.SetUID(c.UID)
	u.SetFinalizers([]string{v1alpha1.LeftBehindFinalizer})
	err := hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), finalizing)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err), beingDeleted(err):
		return nil
	case err != nil:
		return fmt.Errorf("putting a finalizer on cluster %s: %w", c.Name, err)
	}
	return nil
}

// beingDeleted says that a finalizer was refused because the object is being deleted.
func beingDeleted(err error) bool {
	refused, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsInvalid(err) && refused.ErrStatus.Details != nil &&
		slices.ContainsFunc(refused.ErrStatus.Details.Causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.finalizers" })
}

// takeFinalizer takes the finalizer from a Cluster, and leaves those of others alone. It is bound to this Cluster, and to where the
// finalizer stands among the others.
func takeFinalizer(ctx context.Context, hub client.Client, c *v1alpha1.Cluster) error {
	at := slices.Index(c.Finalizers, v1alpha1.LeftBehindFinalizer)
	path := fmt.Sprintf("/metadata/finalizers/%d", at)
	patch, err := json.Marshal([]patchOp{{"test", "/metadata/uid", c.UID}, {"test", path, v1alpha1.LeftBehindFinalizer}, {Op: "remove", Path: path}})
	if err != nil {
		return err
	}
	err = hub.Patch(ctx, c, client.RawPatch(types.JSONPatchType, patch))
	return client.IgnoreNotFound(err)
}
