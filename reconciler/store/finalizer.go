package store

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

// finalizerManager owns the finalizer of Clusters. It differs from the field managers of their spec and status, so that
// an apply of the finalizer alone removes no other field.
const finalizerManager = client.FieldOwner("accord-finalizer")

// AddFinalizer adds accord's finalizer to a Cluster that lacks it. The request carries the UID, so that it neither
// recreates a deleted Cluster nor changes another Cluster of the same name; both cases are no error.
func AddFinalizer(ctx context.Context, hub client.Client, c *v1alpha1.Cluster) error {
	if c.DeletionTimestamp != nil || slices.Contains(c.Finalizers, v1alpha1.RecordRemovalFinalizer) {
		return nil
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Cluster"))
	u.SetName(c.Name)
	u.SetUID(c.UID)
	u.SetFinalizers([]string{v1alpha1.RecordRemovalFinalizer})
	err := hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), finalizerManager)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err), beingDeleted(err):
		return nil
	case err != nil:
		return fmt.Errorf("adding a finalizer to cluster %s: %w", c.Name, err)
	}
	return nil
}

// beingDeleted reports whether the API server rejected a finalizer because the object is being deleted.
func beingDeleted(err error) bool {
	fields, _ := invalid(err)
	return slices.ContainsFunc(fields, func(c metav1.StatusCause) bool { return c.Field == "metadata.finalizers" })
}

// RemoveFinalizer removes accord's finalizer from a Cluster and no other finalizer. It does nothing, which is no error, if the Cluster
// is gone, or if the UID or the position of the finalizer changed since c was read: the event about that change asks again.
func RemoveFinalizer(ctx context.Context, hub client.Client, c *v1alpha1.Cluster) error {
	path := fmt.Sprintf("/metadata/finalizers/%d", slices.Index(c.Finalizers, v1alpha1.RecordRemovalFinalizer))
	patch, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": c.UID},
		{"op": "test", "path": path, "value": v1alpha1.RecordRemovalFinalizer},
		{"op": "remove", "path": path},
	})
	if err != nil {
		return err
	}
	err = hub.Patch(ctx, c, client.RawPatch(types.JSONPatchType, patch))
	switch {
	case apierrors.IsNotFound(err), testFailed(err):
		return nil
	case err != nil:
		return fmt.Errorf("removing a finalizer from cluster %s: %w", c.Name, err)
	}
	return nil
}

// testFailed reports whether an operation "test" of a JSON patch failed. The API server answers as for an invalid object, but names no
// field.
func testFailed(err error) bool {
	fields, is := invalid(err)
	return is && len(fields) == 0
}

// invalid returns the fields that the API server rejected, and whether it rejected the object as invalid.
func invalid(err error) (fields []metav1.StatusCause, is bool) {
	refused, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) {
		return nil, false
	}
	if d := refused.ErrStatus.Details; d != nil {
		fields = d.Causes
	}
	return fields, true
}
