package report

import (
	"context"
	"errors"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/status"
)

// Persist writes the records that the hub needs before the active plan is delivered: new and changed ones, nothing else.
// carried are the decisions that did not change since the plan that the hub has. The status of the Federation follows beside the delivery:
// until then it is about the revision before.
func (r *Reporter) Persist(ctx context.Context, f *state.Federation, carried record.Carried) (state.Unpersisted, error) {
	r.decisions.RLock()
	defer r.decisions.RUnlock()
	r.creates.Lock() // a create ends before the plan is compared with the hub: afterwards its status could be about the plan before
	u := f.Unpersisted(carried)
	r.creates.Unlock()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.persistRelease(ctx, f, u.Release) })
	g.Go(func() error { r.mirror.Publish(ctx, f); return nil })
	g.Go(func() error { return r.persistRecords(ctx, f, u) })
	return u, g.Wait()
}

// persistRelease reports in the Release that a revision begins. A new Release reports so from its creation on.
func (r *Reporter) persistRelease(ctx context.Context, f *state.Federation, release *v1alpha1.Release) error {
	if release == nil { // after a restart with a source that cannot be read
		return nil
	}
	isNew := release.Generation == 0
	if err := r.put(ctx, f, release); err != nil || isNew && release.Generation == 1 {
		return err
	}
	return r.writeRelease(ctx, f)
}

// persistRecords puts new and changed records, and deletes those that are not decided any more.
func (r *Reporter) persistRecords(ctx context.Context, f *state.Federation, u state.Unpersisted) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	plan := f.Plan()
	for _, record := range u.Puts {
		g.Go(func() error {
			err := r.put(ctx, f, record)
			if o, is := record.(*v1alpha1.FederatedObject); is && err == nil && o.Spec.LastDescheduled != "" && plan.Decision(o.Spec.Template.ID()).Moved {
				f.CountDescheduled()
				r.emit(changes.Event{About: o, Type: changes.Normal, Reason: replicasDescheduled, Message: o.Spec.LastDescheduled})
			}
			return err
		})
	}
	for _, record := range f.RemoveUndecided(u) {
		g.Go(func() error {
			err := r.store.Delete(ctx, record)
			if err != nil {
				f.NotDeleted(record)
			}
			return err
		})
	}
	return g.Wait()
}

// PutRelease writes a Release without an active plan, runs then once the hub has it, and writes the statuses.
func (r *Reporter) PutRelease(ctx context.Context, f *state.Federation, release *v1alpha1.Release, then func() changes.Changes) error {
	if err := r.put(ctx, f, release); err != nil {
		return err
	}
	r.Enqueue(then())
	return errors.Join(r.WriteRelease(ctx, f), r.Supersede(ctx, f))
}

// HoldReleases prevents that Releases are superseded until let is called, while another one becomes the newest: that may be one of them.
func (r *Reporter) HoldReleases(f *state.Federation) (let func()) { return r.lock(supersedeLock(f)) }

// Supersede marks the older Releases and deletes those beyond the number that is kept. After the activation of a plan it waits for the
// first write of the status: no delivery waits for it or competes with it.
func (r *Reporter) Supersede(ctx context.Context, f *state.Federation) error {
	defer r.HoldReleases(f)()
	if _, has := f.NewestRelease(); !has {
		return nil
	}
	newest, stay, expired := f.Superseded()
	var errs []error
	for i := range expired {
		errs = append(errs, r.store.Delete(ctx, &expired[i]))
	}
	for i := range stay {
		old := &stay[i]
		before := old.Status
		if before.SupersededBy != "" {
			continue
		}
		old.Status = status.Release(before, old.Generation, status.ReleaseInput{SupersededBy: newest}, time.Now())
		if err := r.store.PutStatus(ctx, old); err != nil && !apierrors.IsNotFound(err) {
			errs, old.Status = append(errs, err), before // the next Release marks it
		}
	}
	f.SetReleases(stay)
	return errors.Join(errs...)
}

// createObject creates the record of an object with its first status. If patient is set, it leaves an object out that is in
// progress during a bulk: at its end the status has more to report. A record whose status has to wait begins without one.
func (r *Reporter) createObject(ctx context.Context, f *state.Federation, id manifest.ID, patient bool) error {
	r.creates.RLock()
	defer r.creates.RUnlock()
	in, next, ok := f.ObjectStatus(id, time.Now())
	r.Enqueue(next)
	if in.Object == nil || !in.Deferred {
		return nil
	}
	write := r.store.Put
	if ok {
		if err := r.mirror.Report(ctx, f, id, in.MirrorDecision, in.Cells); err != nil {
			return err
		}
		in.Object.Status = in.Status(firstGeneration, time.Now())
		if patient && in.InBulk && isProgressing(in.Object.Status.Conditions) {
			return nil
		}
		write = r.store.PutWhole
	}
	if err := write(ctx, in.Object); err != nil {
		f.ObjectNotCreated(id)
		return err
	}
	r.wrote(changes.Status{Federation: f.Key(), Object: id})
	next, wanted := f.ObjectCreated(in)
	r.Enqueue(next)
	if !wanted {
		return r.store.Delete(ctx, in.Object)
	}
	return nil
}

// firstGeneration is the generation that the hub gives a new object.
const firstGeneration = 1

func isProgressing(conditions []metav1.Condition) bool {
	ready := meta.FindStatusCondition(conditions, fluxmeta.ReadyCondition)
	return ready != nil && ready.Reason == status.Progressing
}

// WriteUnobserved replaces the statuses that claim something about clusters which this process cannot observe. why is the
// reason.
func (r *Reporter) WriteUnobserved(ctx context.Context, f *state.Federation, why string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for _, record := range f.Unobserved(why, time.Now()) {
		g.Go(func() error {
			if err := r.store.PutStatus(ctx, record); client.IgnoreNotFound(err) != nil {
				return err
			}
			f.UnobservedWritten(record)
			return nil
		})
	}
	return g.Wait()
}
