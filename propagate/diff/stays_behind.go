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
		changes := map[string]int{} // by cluster
		for _, name := range c.lagging() {
			changes[name] = 0
		}
		g := gathering{}
		c.eachPlace(func(o *object, s *span, name string) {
			if s.verb == Hold && s.held {
				changes[name]++
			}
		})
		c.eachPlace(func(o *object, s *span, name string) {
			if s.verb == Hold && s.held {
				g.add(c.behind(changes[name], c.options.Seen[name]), o, []string{name})
			}
		})
		effects := g.effects(func(how string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s held and %s behind: %s", where(e.Clusters),
				verb(len(e.Clusters), "stays", "stay"), verb(len(e.Clusters), "falls", "fall"), how)
		})
		for name, n := range changes { // effects sorts
			if n == 0 {
				effects = append(effects, Effect{
					Clusters: []string{name}, At: c.clusterAt(name),
					Message: fmt.Sprintf("%s stays held: %s", name, c.behind(0, c.options.Seen[name])),
				})
			}
		}
		return effects
	},
}

// behind says by how much.
func (c *comparison) behind(changes int, seen Seen) string {
	text := count(changes, "object") + " would change there"
	if changes == 0 {
		text = "nothing more would change there"
	}
	if seen.Behind > 0 {
		text += ", and " + count(seen.Behind, "revision") + " came already after the one that it has"
	}
	if seen.Revision != "" {
		text += " (" + seen.Revision + ")"
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
			if p.Held(choice) != "" {
				on[choice.Cluster] = true
			}
		}
	}
	return on
}
