package reconciler

import (
	"slices"

	"github.com/accord-dev/accord/reconciler/apply/live"
)

// sharing is the inventory, or that of a cluster on which the same is: of clusters that have the same objects, the entries are in
// memory once. Nobody changes an inventory in place. The caller holds f.mu.
func (f *federation) sharing(inventory []string) []string {
	for _, l := range f.legs {
		if known := l.run.Inventory; len(known) > 0 && slices.Equal(known, inventory) {
			return known
		}
	}
	return inventory
}

// readInventory reads the entries of an inventory. Most clusters have the same, which is read once. The caller holds f.mu.
func (f *federation) readInventory(entries []string) (*live.Inventory, error) {
	if len(entries) > 0 && slices.Equal(f.inventory.Entries(), entries) {
		return f.inventory, nil
	}
	read, err := live.ParseInventory(entries)
	if err == nil {
		f.inventory = read
	}
	return read, err
}
