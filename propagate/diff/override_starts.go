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
	Summary: "overrides that change objects which they did not change before",
	find: func(c *comparison) []Effect {
		return c.overriding(func(o *object) map[string][]string { return o.started }, "starts to change")
	},
}

// overriding is one effect for every override.
func (c *comparison) overriding(of func(*object) map[string][]string, does string) []Effect {
	g := gathering{}
	for _, o := range c.objects {
		for _, name := range slices.Sorted(maps.Keys(of(o))) {
			g.add(name, o, of(o)[name])
		}
	}
	return g.effects(func(name string, e *Effect, _ *gathered) {
		for _, side := range []Side{c.after, c.before} {
			i := slices.IndexFunc(side.Input.Overrides, func(p policy.Override) bool { return p.String() == name })
			if i >= 0 {
				p := &side.Input.Overrides[i]
				name, e.At = p.Title(), p.Origin
				break
			}
		}
		e.Message = fmt.Sprintf("%s %s %s on %s", name, does, things(e.Objects), where(e.Clusters))
	})
}
