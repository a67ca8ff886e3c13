package check

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// at returns a finding; Run adds the code and the usual severity.
func at(place manifest.Origin, fix, format string, args ...any) propagate.Finding {
	return propagate.Finding{At: place, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// note returns a finding of severity Note; Run adds the code.
func note(place manifest.Origin, fix, format string, args ...any) propagate.Finding {
	f := at(place, fix, format, args...)
	f.Severity = propagate.Note
	return f
}

// one returns a list of one finding.
func one(place manifest.Origin, fix, format string, args ...any) []propagate.Finding {
	return []propagate.Finding{at(place, fix, format, args...)}
}

// named is the number of names in a message that counts the others.
const named = 3

// some names the first of several objects and counts the rest.
func some(objects []*object) string {
	first := short(objects[0].ID)
	if len(objects) == 1 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, len(objects)-1)
}

// short names an object without its group: "Deployment shop/web".
func short(id manifest.ID) string {
	id.Group = ""
	return id.String()
}
