package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var deletes = EffectKind{
	Code: "deletes", Severity: propagate.Warning,
	Summary: "objects that are deleted from clusters, and why",
	find: func(c *comparison) []Effect {
		return c.gather(Delete, func(o *object, _ *span) (string, bool) {
			return joined(o.id.Group, o.id.Kind, o.gone()), !precious(o.id.GroupKind())
		}).effects(func(_ string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s deleted from %s: %s", things(e.Objects), verb(len(e.Objects), "is", "are"), where(e.Clusters), of.first.gone())
		})
	},
}

// gone says in general why an object is no longer on a cluster; losesClusters and goesNowhere say it exactly.
func (o *object) gone() string {
	switch {
	case o.after == nil:
		return "no longer in Git"
	case len(o.after.Chosen) == 0:
		return "no policy sends it anywhere"
	}
	return "no policy sends it there"
}
