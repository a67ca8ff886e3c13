package diff

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var goesNowhere = EffectKind{
	Code: "goes-nowhere", Severity: propagate.Warning,
	Summary: "objects in Git that no cluster gets any more, and why",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			if o.before != nil && o.after != nil && len(o.lost) > 0 && len(o.after.Chosen) == 0 {
				g.add(o.after.Why, o, o.lost)
			}
		}
		return g.effects(func(why string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s to no cluster any more: %s", things(e.Objects), verb(len(e.Objects), "goes", "go"), why)
		})
	},
}

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
			e.Message = fmt.Sprintf("%s %s %s: %s", things(e.Objects), verb(len(e.Objects), "leaves", "leave"), where(e.Clusters), why)
			e.At = at
		})
	},
}

var gainsClusters = EffectKind{
	Code: "gains-clusters", Severity: propagate.Note,
	Summary: "objects that go to more clusters than before",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			gained := without(o.gained, c.joins)
			if o.before == nil || len(gained) == 0 {
				continue
			}
			g.add(joined(fmt.Sprint(gained), title(o.after)), o, gained)
		}
		return g.effects(func(_ string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s %s", things(e.Objects), verb(len(e.Objects), "gains", "gain"), where(e.Clusters))
			if p := of.first.after.Policy; p != nil {
				e.Message, e.At = e.Message+", chosen by "+p.Title(), p.At("spec.placement")
			}
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
	return "it is no longer chosen", d.Origin
}
