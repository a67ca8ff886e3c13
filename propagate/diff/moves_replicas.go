package diff

import (
	"cmp"
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
)

var movesReplicas = EffectKind{
	Code: "moves-replicas", Severity: propagate.Note,
	Summary: "replicas before and after, by cluster, where they differ",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			if o.before == nil || o.after == nil || len(o.replicas) == 0 || len(o.before.Chosen) == 0 || len(o.after.Chosen) == 0 {
				continue
			}
			key, clusters := joinKey(fmt.Sprint(replicas(o.before)), fmt.Sprint(replicas(o.after))), []string{}
			for _, v := range o.replicas {
				key, clusters = joinKey(key, v.Cluster, v.Before, v.After), append(clusters, v.Cluster)
			}
			g.add(key, o, clusters)
		}
		return g.effects(func(_ string, e *Effect, of *effectGroup) {
			var moved []string
			for _, v := range of.first.replicas {
				v.Object = manifest.ID{} // the same in all values
				e.Values = append(e.Values, v)
				moved = append(moved, fmt.Sprintf("%s %s to %s", v.Cluster, cmp.Or(v.Before, "0"), cmp.Or(v.After, "0")))
			}
			e.Message = fmt.Sprintf("replicas of %s change from %d to %d in all: %s", describeObjects(e.Objects), replicas(of.first.before), replicas(of.first.after), phrase.And(moved, maxNames-1))
			if p := of.first.after.Policy; p != nil {
				e.At = p.At("spec.placement.replicaScheduling")
			}
		})
	},
}

// replicas returns the sum over all clusters.
func replicas(d *decision.Decision) int {
	n := 0
	for _, choice := range d.Chosen {
		if choice.Replicas != nil {
			n += int(*choice.Replicas)
		}
	}
	return n
}
