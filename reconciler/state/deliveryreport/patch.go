package deliveryreport

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Published identifies the report that a follower wrote last, entry by entry, so that it sends changes only.
type Published struct {
	// own is set once the report on the hub is this replica's.
	own bool
	// head is a hash of everything but the objects, which have one each, by entry.
	head    uint64
	objects map[string]uint64
	// inventory of the report, sorted.
	inventory []string
}

// HasInventory reports whether the hub has every entry of an inventory, which is sorted.
func (p Published) HasInventory(entries []string) bool {
	rest := p.inventory
	for _, entry := range entries {
		i, there := slices.BinarySearch(rest, entry)
		if !there {
			return false
		}
		rest = rest[i+1:]
	}
	return p.own
}

// PatchOperation is one operation of a JSON patch.
type PatchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Patch returns the operations that turn the published report into a newer one; none if they are equal. next identifies
// the newer report.
func (p Published) Patch(r *v1alpha1.DeliveryReport) (operations []PatchOperation, next Published, err error) {
	next = Published{own: true, objects: make(map[string]uint64, len(r.Status.Objects)), inventory: r.Status.ApplyResult.Inventory}
	head := []PatchOperation{
		{"add", "/spec", r.Spec}, {"add", "/status/replica", r.Status.Replica},
		{"add", "/status/observedDelivery", r.Status.ObservedDelivery}, {"add", "/status/connectivity", r.Status.Connectivity},
		{"add", "/status/applyResult", r.Status.ApplyResult}, {"add", "/status/synced", r.Status.Synced},
		{"add", "/status/discoveredObjects", r.Status.DiscoveredObjects},
	}
	if next.head, err = hashOf(head); err != nil {
		return nil, next, err
	}
	var objects []PatchOperation
	for entry, o := range r.Status.Objects {
		if next.objects[entry], err = hashOf(o); err != nil {
			return nil, next, err
		}
		if p.objects[entry] != next.objects[entry] {
			objects = append(objects, PatchOperation{"add", objectPath(entry), o})
		}
	}
	for entry := range p.objects {
		if _, there := next.objects[entry]; !there {
			objects = append(objects, PatchOperation{Op: "remove", Path: objectPath(entry)})
		}
	}
	switch {
	case !p.own: // the report on the hub may be another replica's
		return append(head, PatchOperation{"add", "/status/objects", r.Status.Objects}), next, nil
	case p.head == next.head:
		return objects, next, nil
	}
	return append(head, objects...), next, nil
}

// objectPath returns the JSON pointer to the object of an inventory entry.
func objectPath(entry string) string {
	return "/status/objects/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(entry)
}

func hashOf(value any) (uint64, error) {
	text, err := json.Marshal(value)
	return xxhash.Sum64(text), err
}
