package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/propagate"
)

var staysBehind = EffectKind{
	Code: "stays-behind", Severity: propagate.Warning,
	Summary: "clusters that were held before and still are: they fall behind further",
	find: func(c *comparison) []Effect {
		g, changes := gathering{}, map[string]int{}
		for _, o := range c.objects {
			for _, s := range o.spans {
				if s.verb != Hold || !s.held {
					continue
				}
				for _, name := range s.clusters {
					changes[name]++
				}
			}
		}
		for _, name := range c.lagging() {
			changes[name] += 0
		}
		for _, o := range c.objects {
			for _, s := range o.spans {
				for _, name := range s.clusters {
					if s.verb == Hold && s.held {
						g.add(c.behind(changes[name], c.options.Seen[name]), o, []string{name})
					}
				}
			}
		}
		effects := g.effects(func(how string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s held and %s behind: %s", where(e.Clusters), verb(len(e.Clusters), "stays", "stay"), verb(len(e.Clusters), "falls", "fall"), how)
		})
		return append(effects, c.idle(changes)...)
	},
}

// behind says by how much.
func (c *comparison) behind(changes int, seen Seen) string {
	text := count(changes, "object") + " would change there"
	if seen.Behind > 0 {
		text += ", and it is " + count(seen.Behind, "revision") + " behind already"
	}
	if seen.Revision != "" {
		text += ", on " + seen.Revision
	}
	return text
}

// lagging are the clusters, sorted, that have something held on both sides and are known to be behind already.
func (c *comparison) lagging() []string {
	was, is := heldOn(c.before.Plan), heldOn(c.after.Plan)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(is)), func(name string) bool {
		return !was[name] || c.options.Seen[name].Behind == 0
	})
}

// heldOn are the clusters on which something is held.
func heldOn(p *propagate.Plan) map[string]bool {
	on := map[string]bool{}
	for i := range p.Decisions {
		for _, choice := range p.Decisions[i].Chosen {
			if choice.Held != "" {
				on[choice.Cluster] = true
			}
		}
	}
	return on
}

// idle are the clusters that are behind already, and in which nothing more would change.
func (c *comparison) idle(changes map[string]int) []Effect {
	var effects []Effect
	for name, n := range changes { // effects sorts
		if n == 0 {
			effects = append(effects, Effect{Clusters: []string{name}, Message: fmt.Sprintf("%s stays held: %s", name, c.behind(0, c.options.Seen[name]))})
		}
	}
	return effects
}
