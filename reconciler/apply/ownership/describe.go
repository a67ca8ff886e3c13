package ownership

import (
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const (
	// maxPlaces is the number of fields that Describe names, maxPlace the longest name in bytes.
	maxPlaces = 3
	maxPlace  = 120
)

// Describe names fields: "spec.replicas, spec.paused and 2 more". It sorts them, so that equal sets have equal
// texts.
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
