package gate

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/reconciler/state/delivery"
)

// ReportErrors reports errors of the version that a cluster was updated to: then the report is about that version,
// although the cluster runs another one.
func ReportErrors(l *delivery.State, r *propagate.Rollout, c *stage.Cluster) {
	for _, item := range r.Items(l.Name) {
		switch w := l.Wants.Of(item.ID); {
		case w.Held != "":
		case w.Err != "":
			c.Report.Digest, c.Report.Health, c.Report.Message = c.Wanted, stage.Stalled, fmt.Sprintf("%s: %s", item.ID, w.Err)
			return
		case l.Errors[item.ID] != "":
			c.Report.Digest, c.Report.Health, c.Report.Message = c.Wanted, stage.Failed, fmt.Sprintf("%s: %s", item.ID, l.Errors[item.ID])
			if l.Terminal {
				c.Report.Health = stage.Stalled
			}
			return
		}
	}
}

// Expressions are compiled expressions by their text.
type Expressions map[string]*stage.Expression

// Get returns a compiled expression; nil for none, and for one that cannot be compiled.
func (e *Expressions) Get(text string) *stage.Expression {
	if text == "" {
		return nil
	}
	if known, ok := (*e)[text]; ok {
		return known
	}
	compiled, err := stage.Compile(text)
	if err != nil {
		compiled = nil // lint reports it, and the gate stays closed
	}
	if *e == nil {
		*e = Expressions{}
	}
	(*e)[text] = compiled
	return compiled
}
