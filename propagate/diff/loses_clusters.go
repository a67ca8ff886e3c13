package diff

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var losesClusters = EffectKind{
	Code: "loses-clusters", Severity: propagate.Warning,
	Summary: "objects that leave some of their clusters, and why",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			lost := without(o.lost, c.leaves)
			if o.after == nil || len(o.after.Chosen) == 0 || len(lost) == 0 {
				continue
			}
			why, _ := refusal(o.after, lost[0])
			g.add(joined(fmt.Sprint(lost), why, title(o.after)), o, lost)
		}
		return g.effects(func(_ string, e *Effect, of *gathered) {
			why, at := refusal(of.first.after, e.Clusters[0])
			e.Message = fmt.Sprintf("%s %s %s: %s %s", things(e.Objects), verb(len(e.Objects), "leaves", "leave"), where(e.Clusters), e.Clusters[0], why)
			e.At = at
		})
	},
}

// refusal is why an object does not go to a cluster, and the field that says so.
func refusal(d *propagate.Decision, cluster string) (why string, at manifest.Origin) {
	for _, r := range d.Refused {
		if r.Cluster == cluster {
			return r.Why, r.At
		}
	}
	return "is no longer chosen", d.Origin
}
