package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var overrideStarts = EffectKind{
	Code: "override-starts", Severity: propagate.Note,
	Summary: "overrides that start to change objects",
	find: func(c *comparison) []Effect {
		return c.overrideEffects(func(o *object) map[string][]string { return o.started }, "starts to change")
	},
}

// overrideEffects returns one effect for every override policy.
func (c *comparison) overrideEffects(of func(*object) map[string][]string, does string) []Effect {
	g := grouping{}
	for _, o := range c.objects {
		for _, name := range slices.Sorted(maps.Keys(of(o))) {
			g.add(name, o, of(o)[name])
		}
	}
	return g.effects(func(name string, e *Effect, _ *effectGroup) {
		for _, side := range []Side{c.after, c.before} {
			i := slices.IndexFunc(side.Input.Overrides, func(p *policy.Override) bool { return p.String() == name })
			if i >= 0 {
				p := side.Input.Overrides[i]
				name, e.At = p.Title(), p.Origin
				break
			}
		}
		e.Message = fmt.Sprintf("%s %s %s on %s", name, does, describeObjects(e.Objects), describeClusters(e.Clusters))
	})
}
