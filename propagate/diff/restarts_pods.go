package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var restartsPods = EffectKind{
	Code: "restarts-pods", Severity: propagate.Warning,
	Summary: "pods that are replaced because their template changes",
	find: func(c *comparison) []Effect {
		g, pods := gathering{}, map[string]int{}
		for _, o := range c.objects {
			for _, s := range o.spans {
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
		return g.effects(func(key string, e *Effect, of *gathered) {
			if key == "counted" {
				e.Message = fmt.Sprintf("%s of %s %s on %s", count(pods[key], "pod"), things(e.Objects), verb(pods[key], "restarts", "restart"), where(e.Clusters))
				return
			}
			e.Message = fmt.Sprintf("the pods of %s restart on every node of %s", things(e.Objects), where(e.Clusters))
		})
	},
}
