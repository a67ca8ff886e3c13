package diff

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/propagate"
)

var unreachable = EffectKind{
	Code: "unreachable", Severity: propagate.Warning,
	Summary: "clusters that do not answer: what changes there happens when they are back",
	find: func(c *comparison) []Effect {
		g := gathering{}
		c.eachPlace(func(o *object, _ *span, name string) {
			if c.options.Seen[name].Unreachable {
				g.add(name, o, []string{name})
			}
		})
		return g.effects(func(name string, e *Effect, of *gathered) {
			since := ""
			if silent := c.options.Seen[name].Silent; silent > 0 {
				since = " for " + roughly(silent)
			}
			e.Message = fmt.Sprintf("%s has not been heard from%s: %s %s there when it is back", name, since,
				count(len(e.Objects), "object"), verb(len(e.Objects), "changes", "change"))
			if revision := c.options.Seen[name].Revision; revision != "" {
				e.Message += "; it has " + revision
			}
			e.At = c.clusterAt(name)
		})
	},
}

// roughly is a duration as people say it: "3h", "41m", "2d".
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= time.Minute:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
