package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var restartsPods = EffectKind{
	Code: "restarts-pods", Severity: propagate.Warning,
	Summary: "pods that are replaced because their template changes",
	find: func(c *comparison) []Effect {
		g, pods := grouping{}, map[string]int{}
		for _, o := range c.objects {
			for _, s := range o.outcomes {
				if !s.restarts {
					continue
				}
				key := "counted"
				if s.perNode {
					key = "on every node"
				}
				g.add(key, o, s.clusters)
				pods[key] += total(s.pods)
			}
		}
		return g.effects(func(key string, e *Effect, of *effectGroup) {
			if key == "counted" {
				e.Message = fmt.Sprintf("%s of %s %s on %s", phrase.Count(pods[key], "pod"), describeObjects(e.Objects), phrase.Plural(pods[key], "restarts", "restart"), describeClusters(e.Clusters))
				return
			}
			e.Message = fmt.Sprintf("the pods of %s restart on every node of %s", describeObjects(e.Objects), describeClusters(e.Clusters))
		})
	},
}
