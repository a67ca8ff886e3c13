package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var losesAllClusters = EffectKind{
	Code: "loses-all-clusters", Severity: propagate.Warning,
	Summary: "objects in Git that are removed from all clusters, and why",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			if o.before != nil && o.after != nil && len(o.lost) > 0 && len(o.after.Chosen) == 0 {
				g.add(o.after.Why, o, o.lost)
			}
		}
		return g.effects(func(why string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s no longer placed on any cluster: %s", describeObjects(e.Objects), phrase.Plural(len(e.Objects), "is", "are"), why)
		})
	},
}
