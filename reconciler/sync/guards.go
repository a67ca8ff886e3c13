package sync

import (
	"context"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/memory"
	"github.com/accord-dev/accord/reconciler/poison"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status"
)

// Guards protect all Federations of the process from the revision of one. The zero value protects from nothing.
type Guards struct {
	memory *memory.Guard
	marks  *poison.Marks
	turns  *turns
}

// NewGuards returns the guards of a process that keeps its files in cacheDir.
func NewGuards(cacheDir string) Guards {
	return Guards{memory.NewGuard(), poison.Open(cacheDir), newTurns()}
}

// guard ends the reconciliation of a new revision while accord uses too much of its memory limit. The active plan stays.
func (c *Controller) guard(ctx context.Context, s *scope) (bool, error) {
	full := c.Guards.memory.Full(time.Now())
	changed, err := c.reporter.Memory(ctx, s.f, full)
	if err != nil {
		return false, err
	}
	if s.delayed = full != ""; s.delayed && changed {
		var x changes.Changes
		x.Event(s.fed, changes.Warning, v1alpha1.MemoryPressure, full)
		c.pool.Enqueue(x)
	}
	return !s.delayed, nil
}

// begin marks the revision as being planned. It returns a mistake for a revision that killed the process twice.
func (c *Controller) begin(s *scope) (*poison.Attempt, error) {
	a, err := c.Guards.marks.Begin(s.f.Key(), s.checkout.Revision(), s.fed.Annotations[v1alpha1.RetryPoisonedAnnotation])
	if err != nil {
		return nil, mistake{&status.PoisonError{Err: err}}
	}
	return a, nil
}
