package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

// shown is how many names a sentence has at most; of more it has the number.
const shown = 3

// count is "1 object", "3 objects".
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"), strings.HasSuffix(what, "x"):
		return fmt.Sprintf("%d %ses", n, what)
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ay") && !strings.HasSuffix(what, "ey"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// list is "a, b and c"; of a long one, the first and how many more.
func list(words []string) string {
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

// several are reasons in a row.
func several(reasons []string) string {
	if more := len(reasons) - shown; more > 0 {
		reasons = append(slices.Clone(reasons[:shown]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(reasons, "; ")
}

// things are "Deployment shop/web", "3 Deployments", "5 objects".
func things(ids []manifest.ID) string {
	if len(ids) == 1 {
		return ids[0].String()
	}
	what := ids[0].Kind
	for _, id := range ids {
		if id.GroupKind() != ids[0].GroupKind() {
			what = "object"
		}
	}
	return count(len(ids), what)
}

// where are "eu-1", "eu-1 and eu-2", "28 clusters".
func where(clusters []string) string {
	if len(clusters) > shown {
		return count(len(clusters), "cluster")
	}
	return list(clusters)
}

// verb is the form that goes with the number of ids: "restart" or "restarts".
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
