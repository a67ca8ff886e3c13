package reconciler

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// A ledger keeps decisions and status: Releases, Deliveries, FederatedObjects, and the status of Federations and
// Clusters. Two exist: the API server of the hub, and memory when there is no hub. Only one process writes to it.
type ledger interface {
	// Put makes the labels, owner and spec of obj what they are here, creating it if it is absent, and fills in what
	// the ledger knows of it: generation, uid, status.
	Put(ctx context.Context, obj client.Object) error
	// PutStatus writes the whole status of obj in one request. NotFound if the object is gone.
	PutStatus(ctx context.Context, obj client.Object) error
	// List fills list with the objects of one federation.
	List(ctx context.Context, list client.ObjectList, namespace, federation string) error
	// Delete removes obj; one that is gone already is no error.
	Delete(ctx context.Context, obj client.Object) error
}

// hub is the ledger on an API server. It writes by server-side apply, so that it needs neither a read before a write
// nor a retry on conflict.
type hub struct {
	client.Client
	// reader lists without a cache: the ledger is read at start-up only.
	reader client.Reader
}

func (h hub) Put(ctx context.Context, obj client.Object) error {
	u, err := h.applicable(obj, "spec")
	if err != nil {
		return err
	}
	if err := h.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership); err != nil {
		return fmt.Errorf("writing %s %s to the hub: %w", u.GetKind(), u.GetName(), err)
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj)
}

func (h hub) PutStatus(ctx context.Context, obj client.Object) error {
	u, err := h.applicable(obj, "status")
	if err != nil {
		return err
	}
	err = h.Client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("writing the status of %s %s to the hub: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

// applicable is obj as an apply configuration of one part, "spec" or "status".
func (h hub) applicable(obj client.Object, part string) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(obj, h.Scheme())
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: map[string]any{part: content[part]}}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(obj.GetNamespace())
	u.SetName(obj.GetName())
	if part == "spec" {
		u.SetLabels(obj.GetLabels())
		u.SetOwnerReferences(obj.GetOwnerReferences())
	}
	return u, nil
}

func (h hub) List(ctx context.Context, list client.ObjectList, namespace, federation string) error {
	if err := h.reader.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.FederationLabel: federation}); err != nil {
		return fmt.Errorf("reading the ledger of %s/%s: %w", namespace, federation, err)
	}
	return nil
}

func (h hub) Delete(ctx context.Context, obj client.Object) error {
	return client.IgnoreNotFound(h.Client.Delete(ctx, obj))
}

// gone says that a status could not be written because its object is not there any more.
func gone(err error) bool { return apierrors.IsNotFound(err) }
