package diff

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
)

var losesClusters = EffectKind{
	Code: "loses-clusters", Severity: propagate.Warning,
	Summary: "objects that are removed from some of their clusters, and why",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			lost := without(o.lost, c.leaves)
			if o.after == nil || len(o.after.Chosen) == 0 || len(lost) == 0 {
				continue
			}
			why, _ := rejection(o.after, lost[0])
			g.add(joinKey(fmt.Sprint(lost), why, policyTitle(o.after)), o, lost)
		}
		return g.effects(func(_ string, e *Effect, of *effectGroup) {
			why, at := rejection(of.first.after, e.Clusters[0])
			e.Message = fmt.Sprintf("%s %s no longer placed on %s: %s %s", describeObjects(e.Objects), phrase.Plural(len(e.Objects), "is", "are"), describeClusters(e.Clusters), e.Clusters[0], why)
			e.At = at
		})
	},
}

// rejection returns why an object is not placed on a cluster, and the field of the policy that decides it.
func rejection(d *decision.Decision, cluster string) (why string, at manifest.Origin) {
	for _, r := range d.Refused {
		if r.Cluster == cluster {
			return r.Why, r.At
		}
	}
	return "is no longer chosen", d.Origin
}
