package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
)

// maxNames limits the names in a message. A message gives the number of the others.
const maxNames = 3

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
	return phrase.Count(len(ids), what)
}

// describeClusters returns "eu-1", "eu-1 and eu-2" or "28 clusters".
func describeClusters(clusters []string) string {
	if len(clusters) > maxNames {
		return phrase.Count(len(clusters), "cluster")
	}
	return phrase.And(clusters, maxNames-1)
}
