package live

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Discovered is an owned object on a member, with the parts of its placement that can be read from it.
type Discovered struct {
	ID manifest.ID
	// Replicas and Completions are those of the live object; nil for kinds without them.
	Replicas, Completions *int32
	// Stays is set if the object stays on the member when it is no longer wanted: it is preserved or was adopted.
	Stays bool
}

// Entries returns the inventory of discovered objects, sorted.
func Entries(all []Discovered) []string {
	return entriesOf(func(yield func(manifest.ID) bool) {
		for _, r := range all {
			if !yield(r.ID) {
				return
			}
		}
	})
}

// Reported returns objects as the executor of their cluster reports them; never nil.
func Reported(all []Discovered) []v1alpha1.DiscoveredObject {
	reported := make([]v1alpha1.DiscoveredObject, len(all))
	for i, o := range all {
		reported[i] = v1alpha1.DiscoveredObject{Object: o.ID.Entry(), Replicas: o.Replicas, Completions: o.Completions}
	}
	return reported
}
