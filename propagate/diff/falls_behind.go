package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var fallsBehind = EffectKind{
	Code: "falls-behind", Severity: propagate.Warning,
	Summary: "clusters that stay held and fall further behind",
	find: func(c *comparison) []Effect {
		changes := map[string]int{} // by cluster
		for _, name := range c.alreadyBehind() {
			changes[name] = 0
		}
		g := grouping{}
		c.eachOutcome(func(o *object, s *outcome, name string) {
			if s.action == Hold && s.held {
				changes[name]++
			}
		})
		c.eachOutcome(func(o *object, s *outcome, name string) {
			if s.action == Hold && s.held {
				g.add(c.describeBehind(changes[name], c.options.Observed[name]), o, []string{name})
			}
		})
		effects := g.effects(func(how string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s held and %s behind: %s", describeClusters(e.Clusters),
				phrase.Plural(len(e.Clusters), "stays", "stay"), phrase.Plural(len(e.Clusters), "falls", "fall"), how)
		})
		for name, n := range changes { // in any order: effects are sorted later
			if n == 0 {
				effects = append(effects, Effect{
					Clusters: []string{name}, At: c.clusterAt(name),
					Message: fmt.Sprintf("%s stays held: %s", name, c.describeBehind(0, c.options.Observed[name])),
				})
			}
		}
		return effects
	},
}

// describeBehind returns how far a held cluster is behind.
func (c *comparison) describeBehind(changes int, seen Observation) string {
	text := phrase.Count(changes, "object") + " would change there"
	if changes == 0 {
		text = "nothing more would change there"
	}
	if seen.RevisionsBehind > 0 {
		text += ", and " + phrase.Count(seen.RevisionsBehind, "revision") + phrase.Plural(seen.RevisionsBehind, " was", " were") + " published after the one that it runs"
	}
	if seen.Revision != "" {
		text += " (" + seen.Revision + ")"
	}
	return text
}

// alreadyBehind returns the clusters, sorted, that hold objects on both sides and are already behind according to the
// hub.
func (c *comparison) alreadyBehind() []string {
	was, is := heldClusters(c.before.Plan), heldClusters(c.after.Plan)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(is)), func(name string) bool {
		return !was[name] || c.options.Observed[name].RevisionsBehind == 0
	})
}

// heldClusters returns the clusters on which an object is held.
func heldClusters(p *propagate.Plan) map[string]bool {
	on := map[string]bool{}
	for _, d := range p.Decisions {
		for _, choice := range d.Chosen {
			if p.Held(choice) != "" {
				on[choice.Cluster] = true
			}
		}
	}
	return on
}
