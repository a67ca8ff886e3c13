package check

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// at returns a finding; Run adds the code and the usual severity.
func at(place manifest.Origin, fix, format string, args ...any) propagate.Finding {
	return propagate.Finding{At: place, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// one returns a list of one finding.
func one(place manifest.Origin, fix, format string, args ...any) []propagate.Finding {
	return []propagate.Finding{at(place, fix, format, args...)}
}

// count returns "1 object", "3 objects".
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ey"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	}
	return fmt.Sprintf("%d %ss", n, what)
}

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

// list returns "a, b and c"; it shortens a long list to the first words and the number of others.
func list(words []string) string {
	const shown = 4
	switch n := len(words); {
	case n == 0:
		return ""
	case n == 1:
		return words[0]
	case n > shown:
		return fmt.Sprintf("%s and %d more", strings.Join(words[:shown-1], ", "), n-shown+1)
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}
