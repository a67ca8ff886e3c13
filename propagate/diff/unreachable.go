package diff

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var unreachable = EffectKind{
	Code: "unreachable", Severity: propagate.Warning,
	Summary: "unreachable clusters: accord applies their changes when they are reachable again",
	find: func(c *comparison) []Effect {
		g := grouping{}
		c.eachOutcome(func(o *object, _ *outcome, name string) {
			if c.options.Observed[name].Unreachable {
				g.add(name, o, []string{name})
			}
		})
		return g.effects(func(name string, e *Effect, of *effectGroup) {
			since := ""
			if silent := c.options.Observed[name].UnreachableFor; silent > 0 {
				since = " for " + shortDuration(silent)
			}
			e.Message = fmt.Sprintf("%s is unreachable%s: %s %s there when it is reachable again", name, since,
				phrase.Count(len(e.Objects), "object"), phrase.Plural(len(e.Objects), "changes", "change"))
			if revision := c.options.Observed[name].Revision; revision != "" {
				e.Message += "; it runs " + revision
			}
			e.At = c.clusterAt(name)
		})
	},
}

// shortDuration returns a duration with one unit: "3h", "41m", "2d".
func shortDuration(d time.Duration) string {
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
