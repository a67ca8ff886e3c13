package report

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// WriteObject writes the status of a FederatedObject, and creates it if the hub does not have it.
func (r *Reporter) WriteObject(ctx context.Context, f *state.Federation, id manifest.ID) error {
	return r.writeObject(ctx, f, id, false)
}

// writeObject does the same. If patient is set, it does not create an object that a bulk has not come to.
func (r *Reporter) writeObject(ctx context.Context, f *state.Federation, id manifest.ID, patient bool) error {
	if f.IsDeferred(id) {
		return r.createObject(ctx, f, id, patient)
	}
	in, next, ok := f.ObjectStatus(id, time.Now())
	r.Enqueue(next)
	if !ok {
		return nil
	}
	if err := r.mirror.Report(ctx, f, id, in.MirrorDecision, in.Cells); err != nil {
		return err
	}
	o := in.Object
	before := o.Status
	o.Status = in.Status(o.Generation, time.Now())
	key := changes.Status{Federation: f.Key(), Object: id}
	if !r.takeLost(key) && equality.Semantic.DeepEqual(before, o.Status) {
		return nil
	}
	if err := r.store.PutStatus(ctx, o); err != nil {
		return r.recreate(ctx, f, o, key, err)
	}
	r.wrote(key)
	f.ObjectStatusWritten(o)
	return nil
}

// recreate puts a record again that somebody deleted on the hub, and updates its status s. err is the answer to the write
// of the status.
func (r *Reporter) recreate(ctx context.Context, f *state.Federation, record changes.Record, s changes.Status, err error) error {
	if !apierrors.IsNotFound(err) {
		return err
	}
	if f.Record(record) == nil {
		return nil // accord deleted it
	}
	if s.Object != (manifest.ID{}) {
		r.rewrite(s)
	}
	err = r.put(ctx, f, record)
	r.update(changes.Update{Status: s})
	return err
}

// put writes a record and takes over the answer.
func (r *Reporter) put(ctx context.Context, f *state.Federation, record changes.Record) error {
	if err := r.store.Put(ctx, record); err != nil {
		return err
	}
	r.Enqueue(f.Put(record, time.Now()))
	return nil
}

// writeRelease writes the status of the newest Release. While its plan is being persisted, the Release is Progressing
// whatever the clusters report.
func (r *Reporter) writeRelease(ctx context.Context, f *state.Federation) error {
	defer r.lock(releaseLock(f))()
	release, before := f.TakeRelease(time.Now())
	if release == nil {
		return nil
	}
	if err := r.writeDeliveries(ctx, f, before); err != nil {
		f.ReleaseNotWritten()
		return err
	}
	key := changes.Status{Federation: f.Key()}
	err := r.store.PutStatus(ctx, release)
	if err == nil {
		r.wrote(key)
		r.Enqueue(f.ReleaseWritten(release, time.Now()))
		return nil
	}
	f.ReleaseNotWritten()
	return r.recreate(ctx, f, release, key, err)
}

// WriteFederation writes the status of the Federation: that of its newest Release, or why there is none.
func (r *Reporter) WriteFederation(ctx context.Context, f *state.Federation) error {
	defer r.lock(federationLock(f))()
	fed, changed := f.FederationStatus(time.Now())
	if !changed {
		return nil
	}
	return r.putFederationStatus(ctx, f, fed)
}

func (r *Reporter) putFederationStatus(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation) error {
	if err := r.store.PutStatus(ctx, fed); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	f.FederationWritten(fed)
	return nil
}
