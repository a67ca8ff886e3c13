package reconciler

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

const (
	// reportWorkers bounds the concurrent status writes.
	reportWorkers = 4
	// objectDelay and summaryDelay are how long changes are gathered before one status is written.
	objectDelay  = 10 * time.Millisecond
	summaryDelay = 100 * time.Millisecond
)

// entry is one status to be written: of an object, of a cluster's delivery, or, with neither, of the release and
// its federation.
type entry struct {
	federation types.NamespacedName
	object     manifest.ID
	cluster    string
}

// reporter is the one writer of status. It is told what may have changed, gathers, compares with what was written
// last, and writes a whole status in one request, or nothing.
type reporter struct {
	engine *engine
	queue  workqueue.TypedRateLimitingInterface[entry]
}

func newReporter(e *engine) *reporter {
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[entry](firstRetry, lastRetry)
	return &reporter{engine: e, queue: workqueue.NewTypedRateLimitingQueue(limit)}
}

// run writes until ctx ends.
func (r *reporter) run(ctx context.Context) {
	var workers sync.WaitGroup
	for range reportWorkers {
		workers.Go(func() { r.work(ctx) })
	}
	<-ctx.Done()
	r.queue.ShutDown()
	workers.Wait()
}

func (r *reporter) work(ctx context.Context) {
	for {
		e, shutdown := r.queue.Get()
		if shutdown {
			return
		}
		if err := r.write(ctx, e); err == nil {
			r.queue.Forget(e)
		} else if ctx.Err() == nil {
			r.engine.log.Error("cannot write status, trying again", "federation", e.federation, "object", e.object, "cluster", e.cluster, "error", err)
			r.queue.AddRateLimited(e)
		}
		r.queue.Done(e)
	}
}

// object of a federation may have changed on one cluster.
func (r *reporter) object(f *federation, id manifest.ID, cluster string) {
	r.queue.AddAfter(entry{federation: f.key, object: id}, objectDelay)
	r.queue.AddAfter(entry{federation: f.key, cluster: cluster}, summaryDelay)
}

// cluster may have changed for all objects: it was delivered, lost, or found again.
func (r *reporter) cluster(f *federation, cluster string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.legs[cluster]; l != nil {
		for id := range l.wants {
			r.queue.AddAfter(entry{federation: f.key, object: id}, objectDelay)
		}
		r.queue.AddAfter(entry{federation: f.key, cluster: cluster}, objectDelay)
	}
}

// everything of a federation may have changed: a plan was put in force.
func (r *reporter) everything(f *federation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range f.objects {
		r.queue.AddAfter(entry{federation: f.key, object: id}, objectDelay)
	}
	for _, c := range f.clusters() {
		r.queue.AddAfter(entry{federation: f.key, cluster: c}, objectDelay)
	}
	r.queue.AddAfter(entry{federation: f.key}, summaryDelay)
}

// write brings one status up to date.
func (r *reporter) write(ctx context.Context, e entry) error {
	f := r.engine.federation(e.federation)
	if f == nil {
		return nil
	}
	switch {
	case e.object != manifest.ID{}:
		return r.writeObject(ctx, f, e.object)
	case e.cluster != "":
		return r.writeDelivery(ctx, f, e.cluster)
	default:
		return r.writeRelease(ctx, f)
	}
}

// settled says whether all that is wanted is known: before that, what is missing may only not have been listed yet,
// and nothing is reported that a moment later would turn out differently. The caller holds f.mu.
func (r *reporter) settled(f *federation, l *leg) bool {
	if l.listed {
		return true
	}
	why, _ := r.engine.reach(l.cluster)
	return why != ""
}

func (r *reporter) writeObject(ctx context.Context, f *federation, id manifest.ID) error {
	f.mu.Lock()
	o := f.objects[id]
	if o == nil || !f.announced {
		f.mu.Unlock()
		return nil
	}
	var cells []status.Cell
	for _, c := range f.clusters() {
		l := f.legs[c]
		if _, wanted := l.wants[id]; !wanted {
			continue
		}
		if !r.settled(f, l) {
			f.mu.Unlock()
			return nil
		}
		why, _ := r.engine.reach(c)
		cells = append(cells, f.cell(l, id, why))
	}
	next := o.DeepCopy()
	f.mu.Unlock()
	next.Status = status.Object(o.Status, o.Generation, id.GroupKind(), o.Spec.Why, cells, time.Now())
	if equality.Semantic.DeepEqual(o.Status, next.Status) {
		return nil
	}
	if err := r.engine.ledger.PutStatus(ctx, next); err != nil {
		return r.recreate(ctx, f, next, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if kept := f.objects[id]; kept != nil {
		updated := *kept
		updated.Status = next.Status
		f.objects[id] = &updated
	}
	return nil
}

// recreate puts an object that somebody deleted on the hub back, and has its status written again.
func (r *reporter) recreate(ctx context.Context, f *federation, o *v1alpha1.FederatedObject, err error) error {
	if !gone(err) {
		return err
	}
	if err := r.engine.ledger.Put(ctx, o); err != nil {
		return err
	}
	f.remember(o)
	return err
}

func (r *reporter) writeDelivery(ctx context.Context, f *federation, cluster string) error {
	f.mu.Lock()
	l := f.legs[cluster]
	if l == nil || !f.announced || !r.settled(f, l) {
		f.mu.Unlock()
		return nil
	}
	next := r.deliveryStatus(f, l)
	same := equality.Semantic.DeepEqual(l.delivery.Status, next)
	d := l.delivery.DeepCopy()
	f.mu.Unlock()
	if !same {
		d.Status = next
		if err := r.engine.ledger.PutStatus(ctx, d); err != nil && !gone(err) {
			return err
		}
		f.mu.Lock()
		l.delivery.Status = next
		f.mu.Unlock()
	}
	r.queue.AddAfter(entry{federation: f.key}, summaryDelay)
	return nil
}

// deliveryStatus is judged from the plan in force. The caller holds f.mu.
func (r *reporter) deliveryStatus(f *federation, l *leg) v1alpha1.DeliveryStatus {
	run := l.run
	run.Unreachable, run.HeardAt = r.engine.reach(l.cluster)
	return status.Delivery(l.delivery.Status, l.delivery.Generation, f.revision, run, f.cells(l, run.Unreachable), time.Now())
}

// writeRelease writes the status of the newest Release and of its Federation.
func (r *reporter) writeRelease(ctx context.Context, f *federation) error {
	return errors.Join(r.release(ctx, f), r.federation(ctx, f))
}

// release writes the status of the newest Release. While its plan is being announced, that says Progressing whatever
// the clusters say.
func (r *reporter) release(ctx context.Context, f *federation) error {
	f.mu.Lock()
	if f.release == nil {
		f.mu.Unlock()
		return nil
	}
	release := f.release.DeepCopy()
	release.Status = status.Release(f.release.Status, f.release.Generation, f.releaseInput(), time.Now())
	same := equality.Semantic.DeepEqual(f.release.Status, release.Status)
	f.mu.Unlock()
	if same {
		return nil
	}
	if err := r.engine.ledger.PutStatus(ctx, release); err != nil && !gone(err) {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.release.Name == release.Name {
		f.release.Status = release.Status
	}
	return nil
}

// superseded writes the last status of an older Release.
func (r *reporter) superseded(ctx context.Context, old *v1alpha1.Release, by string) error {
	old = old.DeepCopy()
	old.Status = status.Release(old.Status, old.Generation, status.ReleaseInput{SupersededBy: by}, time.Now())
	if err := r.engine.ledger.PutStatus(ctx, old); err != nil && !gone(err) {
		return err
	}
	return nil
}

// federation writes the status of the Federation: that of its newest Release, or why there is none.
func (r *reporter) federation(ctx context.Context, f *federation) error {
	f.mu.Lock()
	fed := f.declaration.DeepCopy()
	in := status.FederationInput{FetchError: f.unread, Suspended: fed.Spec.Suspend, HandledAt: f.handledAt}
	if f.release != nil {
		in.Release, in.Newest, in.Revision = f.release.Name, f.release.Status, f.release.Spec.Revision
	}
	fed.Status = status.Federation(f.declaration.Status, f.evaluated, in, time.Now())
	same := equality.Semantic.DeepEqual(f.declaration.Status, fed.Status)
	f.mu.Unlock()
	if same {
		return nil
	}
	if err := r.engine.ledger.PutStatus(ctx, fed); err != nil && !gone(err) {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declaration.Status = fed.Status
	return nil
}
