package reconciler

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// A ledger keeps decisions and status: Releases, Deliveries, FederatedObjects, and the status of Federations and
// Clusters. Two exist: the API server of the hub, and memory when there is no hub. Only one process writes to it.
type ledger interface {
	// Put makes the labels, owner and spec of obj what they are here, creating it if it is absent, and fills in what
	// the ledger knows of it: generation, uid. What status an object has that is there is for the caller to know.
	Put(ctx context.Context, obj client.Object) error
	// PutStatus writes the whole status of obj in one request. NotFound if the object is gone.
	PutStatus(ctx context.Context, obj client.Object) error
	// List fills list with the objects of one federation.
	List(ctx context.Context, list client.ObjectList, namespace, federation string) error
	// Delete removes obj; one that is gone already is no error.
	Delete(ctx context.Context, obj client.Object) error
}

// hub is the ledger on an API server. It writes by server-side apply, so that it needs neither a read before a write
// nor a retry on conflict. Of what is answered it reads the metadata: the rest is what was sent.
type hub struct {
	client.Client
	// reader lists without a cache: the ledger is read at start-up only.
	reader client.Reader
}

func (h hub) Put(ctx context.Context, obj client.Object) error {
	answer, err := h.apply(ctx, h.Client.Patch, obj, map[string]any{
		"metadata": recordMeta{obj.GetNamespace(), obj.GetName(), obj.GetLabels(), obj.GetOwnerReferences()}, "spec": recordSpec(obj),
	})
	if err != nil {
		return fmt.Errorf("writing %s to the hub: %w", titleOf(obj), err)
	}
	obj.SetUID(answer.UID)
	obj.SetGeneration(answer.Generation)
	obj.SetCreationTimestamp(answer.CreationTimestamp)
	return nil
}

func (h hub) PutStatus(ctx context.Context, obj client.Object) error {
	status := func(ctx context.Context, obj client.Object, p client.Patch, o ...client.PatchOption) error {
		opts := &client.SubResourcePatchOptions{}
		opts.ApplyOptions([]client.SubResourcePatchOption{client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership})
		return h.Client.Status().Patch(ctx, obj, p, opts)
	}
	_, err := h.apply(ctx, status, obj, map[string]any{
		"metadata": recordMeta{Namespace: obj.GetNamespace(), Name: obj.GetName()}, "status": recordStatus(obj),
	})
	if err != nil {
		return fmt.Errorf("writing the status of %s to the hub: %w", titleOf(obj), err)
	}
	return nil
}

// recordMeta is the part of an object's metadata that is ours.
type recordMeta struct {
	Namespace       string                  `json:"namespace,omitempty"`
	Name            string                  `json:"name"`
	Labels          map[string]string       `json:"labels,omitempty"`
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences,omitempty"`
}

// apply sends a part of obj and returns the metadata that the object has then.
func (h hub) apply(ctx context.Context, patch func(context.Context, client.Object, client.Patch, ...client.PatchOption) error,
	obj client.Object, part map[string]any) (*metav1.PartialObjectMetadata, error) {
	gvk, err := apiutil.GVKForObject(obj, h.Scheme())
	if err != nil {
		return nil, err
	}
	part["apiVersion"], part["kind"] = gvk.GroupVersion().String(), gvk.Kind
	body, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	answer := &metav1.PartialObjectMetadata{}
	answer.SetGroupVersionKind(gvk)
	answer.Namespace, answer.Name = obj.GetNamespace(), obj.GetName()
	return answer, patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership)
}

// recordSpec is the spec of what is put.
func recordSpec(obj client.Object) any {
	switch o := obj.(type) {
	case *v1alpha1.Release:
		return o.Spec
	case *v1alpha1.Delivery:
		return o.Spec
	case *v1alpha1.FederatedObject:
		return o.Spec
	}
	return nil
}

// recordStatus is the status of what is told.
func recordStatus(obj client.Object) any {
	switch o := obj.(type) {
	case *v1alpha1.Release:
		return o.Status
	case *v1alpha1.Delivery:
		return o.Status
	case *v1alpha1.FederatedObject:
		return o.Status
	case *v1alpha1.Federation:
		return o.Status
	case *v1alpha1.Cluster:
		return o.Status
	}
	return nil
}

// titleOf names a record: "Release prod-4f2c9e1a0b3c".
func titleOf(obj client.Object) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", obj), "*v1alpha1.") + " " + obj.GetName()
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
