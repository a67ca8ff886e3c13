package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyset"
)

// KEP-3659, and what of it the inventory says.
const (
	namespacesAnnotation = "applyset.kubernetes.io/additional-namespaces"
	// federationAnnotation names the federation in full, which a name and a hash cannot.
	federationAnnotation = "accord.dev/federation"
	// clusterAnnotation is the name under which the member is delivered: one that has two would be given the objects
	// of each, and lose those of the other.
	clusterAnnotation = "accord.dev/cluster"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// Inventory is the set of objects that are ours on a cluster. It does not change, and may be used from several places at
// once. Nil is the empty one.
type Inventory struct {
	entries []string
	ids     map[manifest.ID]bool
	// kinds are "Deployment.apps", and with the namespaces what the parent lists. All are sorted.
	kinds, namespaces []string
}

// ReadInventory reads the entries of an inventory (manifest.ID.Entry), sorted, which are not changed any more. Those that
// cannot be read name nothing that could be pruned: the error says which they are, and the inventory has the others.
func ReadInventory(entries []string) (*Inventory, error) {
	ids := make(map[manifest.ID]bool, len(entries))
	var errs []error
	for _, entry := range entries {
		id, err := manifest.ParseEntry(entry)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ids[id] = true
	}
	return inventoryOf(ids, entries), errors.Join(errs...)
}

// inventoryOf ids, which are not changed any more. entries are theirs; nil has them written.
func inventoryOf(ids map[manifest.ID]bool, entries []string) *Inventory {
	kinds, namespaces := map[schema.GroupKind]bool{}, map[string]bool{}
	for id := range ids {
		kinds[id.GroupKind()] = true
		if id.Namespace != "" && id.Namespace != applyset.InventoryNamespace {
			namespaces[id.Namespace] = true
		}
	}
	inv := &Inventory{entries: entries, ids: ids, namespaces: slices.Sorted(maps.Keys(namespaces))}
	for kind := range kinds {
		inv.kinds = append(inv.kinds, kind.String())
	}
	slices.Sort(inv.kinds)
	if entries == nil {
		inv.entries = entriesOf(maps.Keys(ids))
	}
	return inv
}

// entriesOf objects, sorted.
func entriesOf(ids iter.Seq[manifest.ID]) []string {
	var all []string
	for id := range ids {
		all = append(all, id.Entry())
	}
	slices.Sort(all)
	return all
}

// Entries are what is stored of it, sorted. They may not be changed.
func (inv *Inventory) Entries() []string {
	if inv == nil {
		return nil
	}
	return inv.entries
}

// Kinds that it has objects of, sorted.
func (inv *Inventory) Kinds() []schema.GroupKind {
	var all []schema.GroupKind
	if inv != nil {
		for _, kind := range inv.kinds {
			all = append(all, schema.ParseGroupKind(kind))
		}
	}
	return all
}

// Len is how many objects it has.
func (inv *Inventory) Len() int {
	if inv == nil {
		return 0
	}
	return len(inv.ids)
}

func (inv *Inventory) has(id manifest.ID) bool { return inv != nil && inv.ids[id] }

// all are the objects, in no order.
func (inv *Inventory) all() iter.Seq[manifest.ID] {
	if inv == nil {
		return maps.Keys[map[manifest.ID]bool](nil)
	}
	return maps.Keys(inv.ids)
}

// listedAs says that the parent on the member says the same of both.
func (inv *Inventory) listedAs(other *Inventory) bool {
	if inv == nil || other == nil {
		return inv.Len() == other.Len()
	}
	return slices.Equal(inv.kinds, other.kinds) && slices.Equal(inv.namespaces, other.namespaces)
}

// with is inv and ids; inv itself, if it has them all.
func (inv *Inventory) with(ids iter.Seq[manifest.ID]) *Inventory {
	var union map[manifest.ID]bool
	for id := range ids {
		if inv.has(id) || union[id] {
			continue
		}
		if union == nil {
			union = make(map[manifest.ID]bool, inv.Len()+1)
			for known := range inv.all() {
				union[known] = true
			}
		}
		union[id] = true
	}
	if union == nil {
		return inv
	}
	return inventoryOf(union, nil)
}

// announce writes the union of old and new, on the hub and then on the member, before anything of it is applied: what
// was begun can be found again whatever happens. When nothing is new nothing is written.
func (d *delivery) announce(ctx context.Context) error {
	union := d.previous.with(d.live.ids()).with(d.written())
	if union == d.previous {
		d.parent, d.begun = union, true
		return nil
	}
	if d.options.Record != nil {
		if err := d.options.Record(ctx, union.entries); err != nil {
			return fmt.Errorf("recording the inventory: %w", err)
		}
	}
	d.parent, d.begun = d.previous, true
	return d.writeParent(ctx, union)
}

// written are the objects that are written, or may have been: an apply that failed may have been done all the same.
func (d *delivery) written() iter.Seq[manifest.ID] {
	return func(yield func(manifest.ID) bool) {
		for _, t := range d.tasks {
			if !t.refused && !yield(t.ID) {
				return
			}
		}
	}
}

// conclude says what is ours now, and shrinks the parent on the member if what it lists became less.
func (d *delivery) conclude(ctx context.Context, failed error) error {
	if !d.begun {
		d.outcome.Inventory = d.previous.Entries()
		return nil
	}
	now := d.ours(failed)
	d.outcome.Inventory = now.Entries()
	if failed != nil || now.listedAs(d.parent) {
		return nil
	}
	return d.writeParent(ctx, now)
}

// ours is what is on the cluster after the delivery.
func (d *delivery) ours(failed error) *Inventory {
	left := make(map[manifest.ID]bool, d.live.Len())
	for id := range d.live.stays() {
		left[id] = true
	}
	for id := range d.written() {
		left[id] = true
	}
	for _, id := range d.outcome.Spared {
		left[id] = true
	}
	for _, gone := range [][]manifest.ID{d.outcome.Pruned, d.outcome.Released} {
		for _, id := range gone {
			delete(left, id)
		}
	}
	if failed != nil { // what was not looked at may be there
		for id := range d.previous.all() {
			left[id] = true
		}
	}
	if d.previous != nil && maps.Equal(left, d.previous.ids) {
		return d.previous
	}
	return inventoryOf(left, nil)
}

// writeParent makes the parent of the ApplySet list the kinds and namespaces of inv.
func (d *delivery) writeParent(ctx context.Context, inv *Inventory) error {
	body, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"namespace": applyset.InventoryNamespace, "name": applyset.InventoryName(d.federation),
			"labels": map[string]any{v1alpha1.ApplySetLabel: d.applySet},
			"annotations": map[string]any{
				v1alpha1.ToolingAnnotation: v1alpha1.Tooling, federationAnnotation: d.federation, clusterAnnotation: d.member.Name,
				v1alpha1.KindsAnnotation: strings.Join(inv.kinds, ","), namespacesAnnotation: strings.Join(inv.namespaces, ","),
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
		_, err := d.member.Metadata.Resource(configMaps).Namespace(applyset.InventoryNamespace).
			Patch(ctx, applyset.InventoryName(d.federation), types.ApplyPatchType, body, applied(v1alpha1.FieldManager))
		return err
	})
}

// createNamespace makes the namespace of the inventories. It carries no label of ours: it is never pruned.
func (d *delivery) createNamespace(ctx context.Context) error {
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, applyset.InventoryNamespace)
	return d.request(ctx, func(ctx context.Context) error {
		_, err := d.member.Metadata.Resource(namespaces).
			Patch(ctx, applyset.InventoryNamespace, types.ApplyPatchType, body, applied(v1alpha1.FieldManager))
		return err
	})
}

// recall takes the inventory of the last delivery from the hub, and what there is from the watches. If the hub knows
// nothing it may have lost it: then the member is asked.
func (d *delivery) recall(ctx context.Context) error {
	if d.previous.Len() > 0 || len(d.want.Objects) == 0 && d.live.Len() == 0 {
		return nil
	}
	found, err := d.recover(ctx)
	if err != nil {
		return err
	}
	d.previous = d.previous.with(maps.Keys(found))
	d.live = d.live.Clone()
	for id, seen := range found {
		if _, known := d.live.Get(id); !known {
			d.live.Put(id, seen)
		}
	}
	return nil
}

// recover lists what carries our label, of the kinds that the parent on the member names; nothing if there is no parent.
func (d *delivery) recover(ctx context.Context) (map[manifest.ID]Seen, error) {
	var parent *metav1.PartialObjectMetadata
	err := d.request(ctx, func(ctx context.Context) (err error) {
		parent, err = d.member.Metadata.Resource(configMaps).Namespace(applyset.InventoryNamespace).
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
	found := map[manifest.ID]Seen{}
	for kind := range strings.SplitSeq(parent.Annotations[v1alpha1.KindsAnnotation], ",") {
		if kind == "" {
			continue
		}
		if err := d.recoverKind(ctx, schema.ParseGroupKind(kind), found); err != nil {
			return nil, fmt.Errorf("cluster %s: listing %s of the inventory: %w", d.member.Name, kind, err)
		}
	}
	return found, nil
}

// recoverKind adds what carries our label to found. A kind that is not served any more has nothing.
func (d *delivery) recoverKind(ctx context.Context, kind schema.GroupKind, found map[manifest.ID]Seen) error {
	mapping, err := d.member.Kinds.Mapping(kind.WithVersion(""))
	if meta.IsNoMatchError(err) {
		return nil
	} else if err != nil {
		return err
	}
	items, err := d.list(ctx, mapping.Resource, "", v1alpha1.PartOfLabel+"="+d.applySet)
	for _, item := range items {
		id := manifest.ID{Group: kind.Group, Kind: kind.Kind, Namespace: item.Namespace, Name: item.Name}
		found[id] = seenMetadata(mapping.GroupVersionKind, &item)
	}
	return err
}
