package diff

import (
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/concurrent"
)

// findings returns the lint findings of after that are new or in a changed manifest.
func (c *comparison) findings() []Finding {
	var run [2][]propagate.Finding
	concurrent.Do(2, func(side int) {
		of := []Side{c.before, c.after}[side]
		run[side] = check.RunOn(of.Input, of.Plan, &c.checkOutcomes[side])
	})
	found := []Finding{}
	for i, isNew := range check.New(run[0], run[1]) {
		if f := run[1][i]; isNew || c.files.touched(f.At) {
			found = append(found, Finding{Severity: f.Severity, Code: f.Code, Origin: f.At, Message: f.Message, Fix: f.Fix, New: isNew})
		}
	}
	return found
}
