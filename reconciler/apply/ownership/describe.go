package ownership

import (
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const (
	// maxPlaces is how many fields are named of those that somebody else changed, maxPlace how long the name of one may be.
	maxPlaces = 3
	maxPlace  = 120
)

// Describe are the names of fields, "spec.replicas, spec.paused and 2 more". They are sorted, so that the same reads the same.
func Describe(at []fieldpath.Path) string {
	var names []string
	set := fieldpath.NewSet(at...)
	set.Iterate(func(p fieldpath.Path) {
		if len(names) < maxPlaces {
			name := strings.ToValidUTF8(strings.TrimSuffix(strings.TrimPrefix(p.String(), "."), "[]"), "?")
			if len(name) > maxPlace {
				name = strings.ToValidUTF8(name[:maxPlace], "") + "..."
			}
			names = append(names, name)
		}
	})
	text := strings.Join(names, ", ")
	if more := set.Size() - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
