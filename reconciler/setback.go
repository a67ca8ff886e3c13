package reconciler

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// What happens when there is no new plan. In each case the plan in force stays in force, and what runs stays as it is.

// unread: a source could not be read. It is tried again; what it contained last is still wanted.
func (e *engine) unread(f *federation, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unread, f.evaluated = err.Error(), f.declaration.Generation
	e.cannotRead(f, err)
}

// refuse: a commit cannot be planned. Its Release says why, with file and line, and only another commit helps.
func (e *engine) refuse(ctx context.Context, f *federation, b basis, release *v1alpha1.Release, err error) error {
	f.mu.Lock()
	f.basis, f.unread, f.refused, f.evaluated = basis{}, "", err, b.generation
	f.succeed(release)
	release = f.release.DeepCopy()
	about, before := f.declaration, f.release.Status
	f.mu.Unlock()
	if err := e.putRelease(ctx, f, release); err != nil {
		return err
	}
	f.mu.Lock()
	f.basis, f.decided = b, time.Now() // only now: a Release that could not be written is tried again
	f.mu.Unlock()
	e.tellRefused(about, release, before, err)
	return errors.Join(e.reporter.writeRelease(ctx, f), e.supersede(ctx, f))
}

// rests says that nothing changed since the plan in force was made, or since the commit that could not be planned.
// That the sources could be read is noted in any case.
func (f *federation) rests(b basis) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unread = ""
	if !f.basis.rests(b, time.Since(f.decided), f.declaration.Spec.Interval.Duration) || !f.announced && f.refused == nil {
		return false
	}
	f.evaluated = b.generation
	return true
}

// trouble says that the sources could not be read the last time.
func (f *federation) trouble() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unread != ""
}

// handled notes that somebody's request for a look was followed.
func (f *federation) handled(requestedAt string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handledAt = requestedAt
}

// suspended: the Federation is not looked at any more. Deliveries under way end, and what they leave undone is told as
// held.
func (e *engine) suspended(f *federation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.evaluated == f.declaration.Generation {
		return // suspended before
	}
	f.evaluated = f.declaration.Generation
	for _, l := range f.legs {
		l.end()
	}
	e.reporter.objects(f, maps.Keys(f.objectIDs()))
}
