package live

import "github.com/accord-dev/accord/api/manifest"

// Discovered is an object that a member says is ours, and what of the decision about it can be read from it.
type Discovered struct {
	ID manifest.ID
	// Replicas and Completions are those of the live object; nil where its kind has none.
	Replicas, Completions *int32
}

// Entries are the inventory of what was recalled, sorted.
func Entries(all []Discovered) []string {
	return entriesOf(func(yield func(manifest.ID) bool) {
		for _, r := range all {
			if !yield(r.ID) {
				return
			}
		}
	})
}
