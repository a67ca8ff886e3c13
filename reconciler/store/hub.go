package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Hub is the Store on the hub's API server. It writes by server-side apply, which needs neither a read before the write
// nor a retry on conflict, and reads only the metadata of the answer: the rest equals the request.
type Hub struct {
	client   client.Client
	reader   client.Reader
	versions *versions
}

// NewHub returns a Store that writes with c. It lists with uncached, because the records are read at start-up only. Nobody reads a
// warning about an unknown field of a record, for which the API server would read each apply twice: a sixth of the memory that it
// allocates for a new record.
func NewHub(c client.Client, uncached client.Reader) Hub {
	return Hub{client: client.WithFieldValidation(c, metav1.FieldValidationIgnore), reader: uncached, versions: newVersions()}
}

// Put implements Store.
func (h Hub) Put(ctx context.Context, obj client.Object) error {
	gvk, err := apiutil.GVKForObject(obj, h.client.Scheme())
	if err != nil {
		return err
	}
	spec, _ := parts(obj)
	return h.put(ctx, gvk, obj, "", map[string]any{"spec": spec})
}

// PutWhole implements Store.
func (h Hub) PutWhole(ctx context.Context, obj client.Object) error {
	gvk, err := apiutil.GVKForObject(obj, h.client.Scheme())
	if err != nil {
		return err
	}
	spec, status := parts(obj)
	return h.put(ctx, v1alpha1.WholeVersion.WithKind(gvk.Kind), obj, obj.GetUID(), map[string]any{"spec": spec, "status": status})
}

// put applies a part of obj that has its spec, and sets UID and generation to the stored ones. It refuses an object without the UID,
// unless the UID is empty.
func (h Hub) put(ctx context.Context, gvk schema.GroupVersionKind, obj client.Object, uid types.UID, part map[string]any) error {
	defer h.versions.begin(obj)()
	part["metadata"] = metadata{Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: uid, Labels: obj.GetLabels(), OwnerReferences: obj.GetOwnerReferences()}
	answer, err := h.apply(ctx, h.client.Patch, gvk, part)
	if err != nil {
		return fmt.Errorf("writing %s to the hub: %w", title(obj), err)
	}
	if before := obj.GetGeneration(); before == 0 || before != answer.Generation {
		h.versions.note(obj, answer.ResourceVersion) // otherwise nothing changed, and the version may be that of somebody else
	}
	obj.SetUID(answer.UID)
	obj.SetGeneration(answer.Generation)
	obj.SetCreationTimestamp(answer.CreationTimestamp)
	return nil
}

// Get implements Store.
func (h Hub) Get(ctx context.Context, obj client.Object) error {
	return h.reader.Get(ctx, client.ObjectKeyFromObject(obj), obj)
}

// PutStatus implements Store. The status of a Cluster has two writers under one name, the leader, and the reporter on the cluster: a
// write that rests on another version of the Cluster than the stored one is a conflict.
func (h Hub) PutStatus(ctx context.Context, obj client.Object) error {
	defer h.versions.begin(obj)()
	patch := func(ctx context.Context, obj client.Object, p client.Patch, _ ...client.PatchOption) error {
		return h.client.Status().Patch(ctx, obj, p, client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership)
	}
	gvk, err := apiutil.GVKForObject(obj, h.client.Scheme())
	if err != nil {
		return err
	}
	_, status := parts(obj)
	about := metadata{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	_, isCluster := obj.(*v1alpha1.Cluster)
	if isCluster {
		about.ResourceVersion = obj.GetResourceVersion()
	}
	answer, err := h.apply(ctx, patch, gvk, map[string]any{"metadata": about, "status": status})
	if err != nil {
		return fmt.Errorf("writing the status of %s to the hub: %w", title(obj), err)
	}
	if known := obj.GetGeneration(); known == 0 || known == answer.Generation {
		h.versions.note(obj, answer.ResourceVersion) // otherwise somebody else has changed the spec
	}
	if isCluster {
		obj.SetResourceVersion(answer.ResourceVersion)
	}
	return nil
}

// restorer is the field manager of a restoration until its fields are those of accord. The commands write with the name of accord: their
// fields, such as the approval of a plan, must stay theirs, because the next apply would remove them.
const restorer = "accord-restore"

// Replace implements Store. Unlike a server-side apply, a JSON patch also removes the fields of other managers.
func (h Hub) Replace(ctx context.Context, obj client.Object) error {
	defer h.versions.begin(obj)()
	spec, status := parts(obj)
	generation := int64(0) // once the spec is replaced; with another one, the version is somebody else's
	note := func(stored client.Object) {
		if generation == 0 {
			generation = stored.GetGeneration()
		}
		if generation == stored.GetGeneration() {
			h.versions.note(obj, stored.GetResourceVersion())
		}
	}
	replace := func(path, subresource string, value any, patch func(client.Object, client.Patch) error) error {
		body, err := json.Marshal([]map[string]any{{"op": "add", "path": path, "value": value}})
		if err != nil {
			return err
		}
		stored := obj.DeepCopyObject().(client.Object)
		if err := patch(stored, client.RawPatch(types.JSONPatchType, body)); err != nil {
			return client.IgnoreNotFound(err)
		}
		note(stored)
		// The fields that the patch changed have a second owner now: without this, an apply could not remove them.
		owned, err := csaupgrade.UpgradeManagedFieldsPatch(stored, sets.New(restorer), v1alpha1.FieldManager, csaupgrade.Subresource(subresource))
		if err != nil || owned == nil {
			return err
		}
		err = h.client.Patch(ctx, stored, client.RawPatch(types.JSONPatchType, owned))
		if err == nil {
			note(stored)
		}
		return client.IgnoreNotFound(err)
	}
	err := replace("/spec", "", spec, func(o client.Object, p client.Patch) error {
		return h.client.Patch(ctx, o, p, client.FieldOwner(restorer))
	})
	if status != nil {
		err = errors.Join(err, replace("/status", "status", status, func(o client.Object, p client.Patch) error {
			return h.client.Status().Patch(ctx, o, p, client.FieldOwner(restorer))
		}))
	}
	if err != nil {
		return fmt.Errorf("restoring %s on the hub: %w", title(obj), err)
	}
	return nil
}

// IsKnown implements Store.
func (h Hub) IsKnown(obj client.Object, version uint64) (known, ok bool) {
	return h.versions.isKnown(obj, version)
}

// IsWriting implements Store.
func (h Hub) IsWriting(obj client.Object) bool { return h.versions.isWriting(obj) }

// metadata is the part of an object's metadata that accord owns.
type metadata struct {
	Namespace       string                  `json:"namespace,omitempty"`
	Name            string                  `json:"name"`
	UID             types.UID               `json:"uid,omitempty"` // that the stored object must have
	Labels          map[string]string       `json:"labels,omitempty"`
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences,omitempty"`
	ResourceVersion string                  `json:"resourceVersion,omitempty"` // that the stored object must have
}

// apply sends a part of an object, which has metadata, and returns the metadata of the stored object.
func (h Hub) apply(ctx context.Context, patch func(context.Context, client.Object, client.Patch, ...client.PatchOption) error,
	gvk schema.GroupVersionKind, part map[string]any) (*metav1.PartialObjectMetadata, error) {
	part["apiVersion"], part["kind"] = gvk.GroupVersion().String(), gvk.Kind
	body, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	answer := &metav1.PartialObjectMetadata{}
	answer.SetGroupVersionKind(gvk)
	about, _ := part["metadata"].(metadata)
	answer.Namespace, answer.Name = about.Namespace, about.Name
	return answer, patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership)
}

// inventoryPage bounds the Inventories in one answer of the hub: each has up to 1,000 entries.
const inventoryPage = 100

// List implements Store. It reads Inventories in pages.
func (h Hub) List(ctx context.Context, list client.ObjectList, namespace, federation string) error {
	of := []client.ListOption{client.InNamespace(namespace), client.MatchingLabels{v1alpha1.FederationLabel: federation}}
	err := error(nil)
	if inventories, ok := list.(*v1alpha1.InventoryList); ok {
		err = h.listInventories(ctx, inventories, of)
	} else {
		err = h.reader.List(ctx, list, of...)
	}
	if err != nil {
		return fmt.Errorf("reading the records of %s/%s: %w", namespace, federation, err)
	}
	return meta.EachListItem(list, func(item runtime.Object) error {
		if obj, ok := item.(client.Object); ok {
			h.versions.read(obj, obj.GetResourceVersion())
		}
		return nil
	})
}

func (h Hub) listInventories(ctx context.Context, all *v1alpha1.InventoryList, of []client.ListOption) error {
	all.Items = nil
	for token := ""; ; {
		page := &v1alpha1.InventoryList{}
		if err := h.reader.List(ctx, page, append(of, client.Limit(inventoryPage), client.Continue(token))...); err != nil {
			return err
		}
		all.Items = append(all.Items, page.Items...)
		if token = page.Continue; token == "" {
			return nil
		}
	}
}

// Delete implements Store.
func (h Hub) Delete(ctx context.Context, obj client.Object) error {
	err := client.IgnoreNotFound(h.client.Delete(ctx, obj))
	if err == nil {
		h.versions.drop(obj)
	}
	return err
}

// Federations returns the keys of all Federations on the hub, "<namespace>/<name>".
func (h Hub) Federations(ctx context.Context) (map[string]bool, error) {
	list := &v1alpha1.FederationList{}
	if err := h.reader.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing federations: %w", err)
	}
	keys := map[string]bool{}
	for i := range list.Items {
		keys[client.ObjectKeyFromObject(&list.Items[i]).String()] = true
	}
	return keys, nil
}
