package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Annotations of the parent of the ApplySet (KEP-3659).
const (
	namespacesAnnotation = "applyset.kubernetes.io/additional-namespaces"
	// federationAnnotation has the full name of the Federation; the name of the ConfigMap only has a hash of it.
	federationAnnotation = "accord.dev/federation"
	// clusterAnnotation has the name of the cluster. A member under two names would receive the objects of each and
	// lose those of the other.
	clusterAnnotation = "accord.dev/cluster"
)

var configMapsResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// recordInventory writes the union of the old and the new inventory to the hub and then to the member, before the
// first apply, so that a started delivery can always be found again. It writes nothing if no object is new. A member that has none of the
// objects may have lost the parent with them, or be another one of the same name: it gets the parent again.
func (d *delivery) recordInventory(ctx context.Context) error {
	union := d.previous.With(d.written())
	emptied := d.live.Len() == 0 && len(d.tasks) > 0
	if union == d.previous && !emptied {
		d.parent, d.begun = union, true
		return nil
	}
	if union != d.previous && d.options.Record != nil {
		if err := d.options.Record(ctx, union.Entries()); err != nil {
			return fmt.Errorf("recording the inventory: %w", err)
		}
	}
	d.parent, d.begun = d.previous, true
	return d.writeParent(ctx, union)
}

// written iterates over the objects that are or may have been applied: a failed apply may have taken effect.
func (d *delivery) written() iter.Seq[manifest.ID] {
	return func(yield func(manifest.ID) bool) {
		for _, t := range d.tasks {
			if !t.rejected && !yield(t.ID) {
				return
			}
		}
	}
}

// finish sets the inventory of the outcome, and updates the parent on the member if its kinds or namespaces became
// fewer. It computes nothing for a delivery that was cancelled: the caller keeps the inventory that was recorded, and the next one waits.
func (d *delivery) finish(ctx context.Context, failed error) error {
	if !d.begun || ctx.Err() != nil {
		d.outcome.Inventory = d.previous.Entries()
		return nil
	}
	now := d.inventory(failed)
	d.outcome.Inventory = now.Entries()
	if failed != nil || now.SameParent(d.parent) {
		return nil
	}
	return d.writeParent(ctx, now)
}

// keepsInventory reports whether the delivery neither added an object to the inventory nor removed one, and all are there.
func (d *delivery) keepsInventory(failed error) bool {
	if failed != nil || len(d.outcome.Released)+len(d.outcome.Pruned) > 0 {
		return false
	}
	written := map[manifest.ID]bool{}
	for id := range d.written() {
		written[id] = true
	}
	for _, id := range d.outcome.NotRepaired {
		written[id] = true
	}
	for id := range written {
		if !d.previous.Has(id) {
			return false
		}
	}
	return d.live.HasAll(d.previous, func(id manifest.ID) bool { return written[id] })
}

// inventory returns the owned objects after the delivery.
func (d *delivery) inventory(failed error) *live.Inventory {
	if d.keepsInventory(failed) {
		return d.previous
	}
	left := make(map[manifest.ID]bool, d.live.Len())
	for id := range d.live.IDs() { // also those that wait for their finalizers
		if d.previous.Has(id) {
			left[id] = true
		}
	}
	for id := range d.written() {
		left[id] = true
	}
	for _, id := range d.outcome.NotRepaired {
		left[id] = true
	}
	for _, id := range d.outcome.Released {
		delete(left, id)
	}
	for _, id := range d.outcome.Pruned {
		if seen, _ := d.live.Get(id); seen.Finalizer == "" {
			delete(left, id)
		}
	}
	if failed != nil { // objects that were not read may exist
		for id := range d.previous.All() {
			left[id] = true
		}
	}
	if d.previous.Equal(left) {
		return d.previous
	}
	return live.NewInventory(left, nil)
}

// writeParent writes the kinds and namespaces of inv to the parent of the ApplySet.
func (d *delivery) writeParent(ctx context.Context, inv *live.Inventory) error {
	kinds, namespaces := inv.Annotations()
	body, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"namespace": applyset.InventoryNamespace, "name": applyset.InventoryName(d.federation),
			"labels": map[string]any{v1alpha1.ApplySetLabel: d.applySet},
			"annotations": map[string]any{
				v1alpha1.ToolingAnnotation: v1alpha1.Tooling, federationAnnotation: d.federation, clusterAnnotation: d.member.Name,
				v1alpha1.KindsAnnotation: kinds, namespacesAnnotation: namespaces,
			},
		},
	})
	if err != nil {
		return fmt.Errorf("writing the inventory: %w", err)
	}
	err = d.patchParent(ctx, body)
	if apierrors.IsNotFound(err) {
		if err = d.createNamespace(ctx); err == nil {
			err = d.patchParent(ctx, body)
		}
	}
	if err != nil {
		return fmt.Errorf("cluster %s: writing the inventory ConfigMap %s/%s: %w",
			d.member.Name, applyset.InventoryNamespace, applyset.InventoryName(d.federation), err)
	}
	d.parent = inv
	return nil
}

func (d *delivery) patchParent(ctx context.Context, body []byte) error {
	return d.request(ctx, func(ctx context.Context) error {
		_, err := d.member.Metadata.Resource(configMapsResource).Namespace(applyset.InventoryNamespace).
			Patch(ctx, applyset.InventoryName(d.federation), types.ApplyPatchType, body, applied(v1alpha1.FieldManager))
		return err
	})
}

// createNamespace creates the namespace of the inventories. It has no label of accord and is never pruned.
func (d *delivery) createNamespace(ctx context.Context) error {
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, applyset.InventoryNamespace)
	return d.request(ctx, func(ctx context.Context) error {
		_, err := d.member.Metadata.Resource(namespaces).
			Patch(ctx, applyset.InventoryNamespace, types.ApplyPatchType, body, applied(v1alpha1.FieldManager))
		return err
	})
}

// loadInventory completes the inventory and the live objects from the member if the hub has no inventory, which it
// may have lost.
func (d *delivery) loadInventory(ctx context.Context) error {
	if d.previous.Len() > 0 || len(d.want.Objects) == 0 && d.live.Len() == 0 {
		return nil
	}
	found, err := d.listFromMember(ctx)
	if err != nil {
		return err
	}
	d.previous = d.previous.With(maps.Keys(found))
	d.live, d.difference = d.live.Clone(), nil
	for id, seen := range found {
		if _, known := d.live.Get(id); !known {
			d.live.Put(id, seen)
		}
	}
	return nil
}

// listFromMember lists the owned objects of the kinds that the parent on the member names, and none without a
// parent.
func (d *delivery) listFromMember(ctx context.Context) (map[manifest.ID]live.Object, error) {
	var parent *metav1.PartialObjectMetadata
	err := d.request(ctx, func(ctx context.Context) (err error) {
		parent, err = d.member.Metadata.Resource(configMapsResource).Namespace(applyset.InventoryNamespace).
			Get(ctx, applyset.InventoryName(d.federation), metav1.GetOptions{})
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("cluster %s: reading the inventory: %w", d.member.Name, err)
	}
	if name := parent.Annotations[clusterAnnotation]; name != "" && name != d.member.Name {
		return nil, fmt.Errorf("cluster %s is cluster %s: federation %s delivers to it under that name already (annotation %s of ConfigMap %s/%s; change it there if the cluster was renamed)",
			d.member.Name, name, d.federation, clusterAnnotation, applyset.InventoryNamespace, parent.Name)
	}
	found := map[manifest.ID]live.Object{}
	for kind := range strings.SplitSeq(parent.Annotations[v1alpha1.KindsAnnotation], ",") {
		if kind == "" {
			continue
		}
		if err := d.listKind(ctx, schema.ParseGroupKind(kind), found); err != nil {
			return nil, fmt.Errorf("cluster %s: listing %s of the inventory: %w", d.member.Name, kind, err)
		}
	}
	return found, nil
}

// listKind adds the owned objects of a kind to found. A kind that is not served any more has none.
func (d *delivery) listKind(ctx context.Context, kind schema.GroupKind, found map[manifest.ID]live.Object) error {
	mapping, err := d.member.Kinds.Mapping(kind.WithVersion(""))
	if meta.IsNoMatchError(err) {
		return nil
	} else if err != nil {
		return err
	}
	_, err = d.list(ctx, d.member, mapping.Resource, "", v1alpha1.PartOfLabel+"="+d.applySet, func(item *metav1.PartialObjectMetadata) bool {
		id := manifest.ID{Group: kind.Group, Kind: kind.Kind, Namespace: item.Namespace, Name: item.Name}
		if seen := live.ObserveMetadata(mapping.GroupVersionKind, item); !seen.IsStranger() {
			found[id] = seen
		}
		return false
	})
	return err
}
