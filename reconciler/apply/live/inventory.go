package live

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"unique"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/applyset"
)

// Inventory is the set of owned objects on a cluster. It is immutable and safe for concurrent use. Nil is the empty
// set.
type Inventory struct {
	entries []string
	ids     map[unique.Handle[manifest.ID]]bool
	// kinds ("Deployment.apps") and namespaces are listed in the parent of the ApplySet. All fields are sorted.
	kinds, namespaces []string
}

// ParseInventory parses sorted entries (manifest.ID.Entry), which the caller must not change afterwards. The error
// names the invalid entries; the inventory has the others. An invalid entry names nothing that could be pruned.
func ParseInventory(entries []string) (*Inventory, error) {
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
	return NewInventory(ids, entries), errors.Join(errs...)
}

// NewInventory returns the inventory of ids, which the caller must not change afterwards. entries are their sorted
// entries, or nil.
func NewInventory(ids map[manifest.ID]bool, entries []string) *Inventory {
	kinds, namespaces := map[schema.GroupKind]bool{}, map[string]bool{}
	for id := range ids {
		kinds[id.GroupKind()] = true
		if id.Namespace != "" && id.Namespace != applyset.InventoryNamespace {
			namespaces[id.Namespace] = true
		}
	}
	inv := &Inventory{entries: entries, ids: make(map[unique.Handle[manifest.ID]]bool, len(ids)), namespaces: slices.Sorted(maps.Keys(namespaces))}
	for id := range ids {
		inv.ids[unique.Make(id)] = true
	}
	for kind := range kinds {
		inv.kinds = append(inv.kinds, kind.String())
	}
	slices.Sort(inv.kinds)
	if entries == nil {
		inv.entries = entriesOf(maps.Keys(ids))
	}
	return inv
}

// entriesOf returns the entries of objects, sorted.
func entriesOf(ids iter.Seq[manifest.ID]) []string {
	var all []string
	for id := range ids {
		all = append(all, id.Entry())
	}
	slices.Sort(all)
	return all
}

// Entries returns the stored form, sorted. The caller must not change it.
func (inv *Inventory) Entries() []string {
	if inv == nil {
		return nil
	}
	return inv.entries
}

// Kinds returns the kinds of the objects, sorted.
func (inv *Inventory) Kinds() []schema.GroupKind {
	var all []schema.GroupKind
	if inv != nil {
		for _, kind := range inv.kinds {
			all = append(all, schema.ParseGroupKind(kind))
		}
	}
	return all
}

// Len returns the number of objects.
func (inv *Inventory) Len() int {
	if inv == nil {
		return 0
	}
	return len(inv.ids)
}

func (inv *Inventory) Has(id manifest.ID) bool { return inv != nil && inv.ids[unique.Make(id)] }

// All iterates over the objects in no order.
func (inv *Inventory) All() iter.Seq[manifest.ID] {
	return func(yield func(manifest.ID) bool) {
		if inv == nil {
			return
		}
		for id := range inv.ids {
			if !yield(id.Value()) {
				return
			}
		}
	}
}

// Equal reports whether the inventory has these objects and no others. Nil equals no set.
func (inv *Inventory) Equal(ids map[manifest.ID]bool) bool {
	if inv == nil || len(ids) != len(inv.ids) {
		return false
	}
	for id := range ids {
		if !inv.Has(id) {
			return false
		}
	}
	return true
}

// Annotations returns the kinds and the namespaces as the parent of the ApplySet lists them.
func (inv *Inventory) Annotations() (kinds, namespaces string) {
	return strings.Join(inv.kinds, ","), strings.Join(inv.namespaces, ",")
}

// SameParent reports whether both have the same kinds and namespaces in the parent.
func (inv *Inventory) SameParent(other *Inventory) bool {
	if inv == nil || other == nil {
		return inv.Len() == other.Len()
	}
	return slices.Equal(inv.kinds, other.kinds) && slices.Equal(inv.namespaces, other.namespaces)
}

// With returns the union of inv and ids, or inv itself if it has them all.
func (inv *Inventory) With(ids iter.Seq[manifest.ID]) *Inventory {
	var union map[manifest.ID]bool
	for id := range ids {
		if inv.Has(id) || union[id] {
			continue
		}
		if union == nil {
			union = make(map[manifest.ID]bool, inv.Len()+1)
			for known := range inv.All() {
				union[known] = true
			}
		}
		union[id] = true
	}
	if union == nil {
		return inv
	}
	return NewInventory(union, nil)
}
