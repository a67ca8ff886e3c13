package live

import "github.com/accord-dev/accord/api/manifest"

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
