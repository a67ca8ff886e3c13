package reconciler

import (
	"context"
	"errors"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

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
	f.basis, f.unread, f.refused, f.proposed = basis{}, "", err, nil
	f.evaluate(b.generation)
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
func (f *federation) rests(b basis) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	age := time.Since(f.decided)
	if f.proposed != nil {
		age = 0 // while somebody looks at a plan, it is not made again only because room moved
	}
	if f.unplanned() || !f.basis.rests(b, age, f.declaration.Spec.Interval.Duration) || !f.announced && f.refused == nil && f.proposed == nil {
		return false
	}
	f.unread = "" // only now: until a new plan is adopted, the old Release does not answer for the new generation
	f.evaluate(b.generation)
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

// evaluate notes that the Federation was looked at as it is in this generation. The caller holds f.mu.
func (f *federation) evaluate(generation int64) {
	f.evaluated = generation
	if f.declaration.Generation == generation {
		f.spec = f.declaration.Spec.DeepCopy()
	}
}

// onlySuspended says that the Federation is as it was looked at last, but for spec.suspend: whatever else was changed since
// is not looked at before it goes on. After a restart nothing is known of that, and the status of the hub is believed.
// The caller holds f.mu.
func (f *federation) onlySuspended() bool {
	if f.spec == nil {
		return f.declaration.Status.ObservedGeneration == f.declaration.Generation
	}
	then, now := *f.spec, f.declaration.Spec
	then.Suspend, now.Suspend = false, false
	return equality.Semantic.DeepEqual(then, now)
}

// suspended: the Federation is not looked at any more. Deliveries under way end, and what they leave undone is told as
// held.
func (e *engine) suspended(f *federation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.suspendedAt == f.declaration.Generation {
		return // suspended before
	}
	f.suspendedAt = f.declaration.Generation
	if f.onlySuspended() {
		f.evaluated = f.declaration.Generation
	}
	for _, l := range f.legs {
		l.end()
	}
	e.reporter.objects(f, maps.Keys(f.objectIDs()))
}
