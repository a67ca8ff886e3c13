package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

// maxNames limits the names in a message. A message gives the number of the others.
const maxNames = 3

// countOf returns "1 object" or "3 objects".
func countOf(n int, what string) string {
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

// joinNames returns "a, b and c", or "a, b and 3 more" for a long list.
func joinNames(words []string) string {
	switch n := len(words); {
	case n == 0:
		return ""
	case n == 1:
		return words[0]
	case n > maxNames:
		return fmt.Sprintf("%s and %d more", strings.Join(words[:maxNames-1], ", "), n-maxNames+1)
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// joinReasons joins reasons with semicolons, and gives the number of those beyond maxNames.
func joinReasons(reasons []string) string {
	if more := len(reasons) - maxNames; more > 0 {
		reasons = append(slices.Clone(reasons[:maxNames]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(reasons, "; ")
}

// describeObjects returns "Deployment shop/web", "3 Deployments" or "5 objects".
func describeObjects(ids []manifest.ID) string {
	if len(ids) == 1 {
		return ids[0].String()
	}
	what := ids[0].Kind
	for _, id := range ids {
		if id.GroupKind() != ids[0].GroupKind() {
			what = "object"
		}
	}
	return countOf(len(ids), what)
}

// describeClusters returns "eu-1", "eu-1 and eu-2" or "28 clusters".
func describeClusters(clusters []string) string {
	if len(clusters) > maxNames {
		return countOf(len(clusters), "cluster")
	}
	return joinNames(clusters)
}

// plural returns the form for n: "restarts" or "restart".
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
