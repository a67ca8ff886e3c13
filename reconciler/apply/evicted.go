package apply

import (
	"context"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
)

// purgeEvicted deletes the old copies that evictions left on the cluster, and releases those that a policy preserves. Only objects of the
// inventory count, as in unwanted.
func (d *delivery) purgeEvicted(ctx context.Context) error {
	if len(d.options.Evicted) == 0 {
		return nil
	}
	evicted := make(map[manifest.ID]bool, len(d.options.Evicted))
	for _, id := range d.options.Evicted {
		evicted[id] = true
	}
	var remove, release []manifest.ID
	d.purged = map[manifest.ID]bool{}
	for _, id := range d.difference.Extra {
		seen, _ := d.live.Get(id)
		if !evicted[id] || !d.previous.Has(id) || seen.Controller != "" || seen.Deleting || d.held(id, seen) != "" {
			continue
		}
		d.purged[id] = true
		if seen.Preserve || seen.Adopted {
			release = append(release, id)
		} else {
			remove = append(remove, id)
		}
	}
	slices.SortFunc(remove, manifest.ID.Compare)
	slices.SortFunc(release, manifest.ID.Compare)
	return d.clear(ctx, remove, release)
}
