package apply

import (
	"context"
	"encoding/json"
	"fmt"
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
	"github.com/accord-dev/accord/propagate"
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

// inventory is the set of objects that are ours on a cluster.
type inventory map[manifest.ID]bool

// readInventory ignores entries that cannot be read: they name nothing that could be pruned.
func readInventory(entries []string) inventory {
	inv := inventory{}
	for _, e := range entries {
		if id, err := manifest.ParseEntry(e); err == nil {
			inv[id] = true
		}
	}
	return inv
}

func (inv inventory) entries() []string {
	all := slices.Grow([]string(nil), len(inv))
	for id := range inv {
		all = append(all, id.Entry())
	}
	slices.Sort(all)
	return all
}

// kinds are "Deployment.apps", as the parent lists them.
func (inv inventory) kinds() string {
	set := map[string]bool{}
	for id := range inv {
		set[id.GroupKind().String()] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(set)), ",")
}

func (inv inventory) namespaces() string {
	set := map[string]bool{}
	for id := range inv {
		if id.Namespace != "" && id.Namespace != propagate.InventoryNamespace {
			set[id.Namespace] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(set)), ",")
}

// announce writes the union of old and new, on the hub and then on the member, before anything of it is applied: what
// was begun can be found again whatever happens. When nothing is new nothing is written.
func (d *delivery) announce(ctx context.Context) error {
	union := maps.Clone(d.previous)
	for id := range d.live {
		union[id] = true
	}
	for _, t := range d.tasks {
		if !t.refused {
			union[t.ID] = true
		}
	}
	if len(union) == len(d.previous) {
		d.written = d.previous
		return nil
	}
	if d.options.Record != nil {
		if err := d.options.Record(ctx, union.entries()); err != nil {
			return fmt.Errorf("recording the inventory: %w", err)
		}
	}
	d.written = d.previous
	return d.writeParent(ctx, union)
}

// conclude says what is ours now, and shrinks the parent on the member if what it lists became less.
func (d *delivery) conclude(ctx context.Context, failed error) error {
	if d.written == nil {
		d.outcome.Inventory = d.previous.entries()
		return nil
	}
	left := inventory{}
	for id, seen := range d.live {
		if !seen.Deleting {
			left[id] = true
		}
	}
	for _, t := range d.tasks {
		if !t.refused { // also if the apply failed: it may have been done all the same
			left[t.ID] = true
		}
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
		maps.Copy(left, d.previous)
	}
	d.outcome.Inventory = left.entries()
	if failed != nil || left.kinds() == d.written.kinds() && left.namespaces() == d.written.namespaces() {
		return nil
	}
	return d.writeParent(ctx, left)
}

// writeParent makes the parent of the ApplySet list the kinds and namespaces of inv.
func (d *delivery) writeParent(ctx context.Context, inv inventory) error {
	body, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"namespace": propagate.InventoryNamespace, "name": propagate.InventoryName(d.federation),
			"labels": map[string]any{v1alpha1.ApplySetLabel: d.applySet},
			"annotations": map[string]any{
				v1alpha1.ToolingAnnotation: v1alpha1.Tooling, federationAnnotation: d.federation, clusterAnnotation: d.member.Name,
				v1alpha1.KindsAnnotation: inv.kinds(), namespacesAnnotation: inv.namespaces(),
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
			d.member.Name, propagate.InventoryNamespace, propagate.InventoryName(d.federation), err)
	}
	d.written = inv
	return nil
}

func (d *delivery) patchParent(ctx context.Context, body []byte) error {
	return d.request(ctx, func(ctx context.Context) error {
		_, err := d.member.Metadata.Resource(configMaps).Namespace(propagate.InventoryNamespace).
			Patch(ctx, propagate.InventoryName(d.federation), types.ApplyPatchType, body, applied(v1alpha1.FieldManager))
		return err
	})
}

// createNamespace makes the namespace of the inventories. It carries no label of ours: it is never pruned.
func (d *delivery) createNamespace(ctx context.Context) error {
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, propagate.InventoryNamespace)
	return d.request(ctx, func(ctx context.Context) error {
		_, err := d.member.Metadata.Resource(namespaces).
			Patch(ctx, propagate.InventoryNamespace, types.ApplyPatchType, body, applied(v1alpha1.FieldManager))
		return err
	})
}

// recall takes the inventory of the last delivery from the hub, and what there is from the watches. If the hub knows
// nothing it may have lost it: then the member is asked.
func (d *delivery) recall(ctx context.Context) error {
	if len(d.previous) > 0 || len(d.want.Objects) == 0 && len(d.live) == 0 {
		return nil
	}
	found, err := d.recover(ctx)
	if err != nil {
		return err
	}
	d.live = maps.Clone(d.live)
	if d.live == nil {
		d.live = Live{}
	}
	for id, seen := range found {
		d.previous[id] = true
		if _, ok := d.live[id]; !ok {
			d.live[id] = seen
		}
	}
	return nil
}

// recover lists what carries our label, of the kinds that the parent on the member names; nothing if there is no parent.
func (d *delivery) recover(ctx context.Context) (Live, error) {
	var parent *metav1.PartialObjectMetadata
	err := d.request(ctx, func(ctx context.Context) (err error) {
		parent, err = d.member.Metadata.Resource(configMaps).Namespace(propagate.InventoryNamespace).
			Get(ctx, propagate.InventoryName(d.federation), metav1.GetOptions{})
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("cluster %s: reading the inventory: %w", d.member.Name, err)
	}
	if name := parent.Annotations[clusterAnnotation]; name != "" && name != d.member.Name {
		return nil, fmt.Errorf("cluster %s is cluster %s: federation %s delivers to it under that name already (annotation %s of ConfigMap %s/%s; change it there if the cluster was renamed)",
			d.member.Name, name, d.federation, clusterAnnotation, propagate.InventoryNamespace, parent.Name)
	}
	found := Live{}
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
func (d *delivery) recoverKind(ctx context.Context, kind schema.GroupKind, found Live) error {
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
