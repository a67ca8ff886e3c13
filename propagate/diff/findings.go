package diff

import (
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/concurrent"
)

// findings returns the lint findings of after that are new or in a changed manifest.
func (c *comparison) findings() []Finding {
	run := c.check()
	found := []Finding{}
	for i, isNew := range check.New(run[0], run[1]) {
		if f := run[1][i]; isNew || c.files.touched(f.At) {
			found = append(found, Finding{Severity: f.Severity, Code: f.Code, Origin: f.At, Message: f.Message, Fix: f.Fix, New: isNew})
		}
	}
	return found
}

// check runs the checks on both sides. The review of a small change takes over findings of the side before.
func (c *comparison) check() (run [2][]propagate.Finding) {
	if c.after.Plan.StepFrom(c.before.Plan) {
		review := check.NewReview(c.before.Input, c.before.Plan)
		run[0] = review.Run(&c.checkOutcomes[0])
		run[1] = review.Next(c.after.Input, c.after.Plan).Run(&c.checkOutcomes[1])
		return run
	}
	concurrent.Do(2, func(side int) {
		of := []Side{c.before, c.after}[side]
		run[side] = check.RunOn(of.Input, of.Plan, &c.checkOutcomes[side])
	})
	return run
}
