package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var deletes = EffectKind{
	Code: "deletes", Severity: propagate.Warning,
	Summary: "objects that are deleted from clusters, and why",
	find: func(c *comparison) []Effect {
		return c.groupOutcomes(Delete, func(o *object, _ *outcome) (string, bool) {
			return joinKey(o.id.Group, o.id.Kind, o.deletionCause()), !deletionCascades(o.id.GroupKind())
		}).effects(func(_ string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s deleted from %s: %s", describeObjects(e.Objects), phrase.Plural(len(e.Objects), "is", "are"), describeClusters(e.Clusters), of.first.deletionCause())
		})
	},
}

// deletionCause returns in general terms why an object is no longer on a cluster; losesClusters and losesAllClusters
// give the exact reason.
func (o *object) deletionCause() string {
	switch {
	case o.after == nil:
		return "no longer in Git"
	case len(o.after.Chosen) == 0:
		return "no policy sends it anywhere"
	}
	return "no policy sends it there"
}
