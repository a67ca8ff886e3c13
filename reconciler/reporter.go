package reconciler

import (
	"context"
	"errors"
	"iter"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

const (
	// reportWorkers bounds the concurrent status writes.
	reportWorkers = 4
	// beginning is how long what is told of a delivery that begins waits, so that it does not compete with what it is about.
	beginning = 100 * time.Millisecond
	// gather is how long changes are gathered before they are looked at.
	gather = 10 * time.Millisecond
	// objectPace, deliveryPace and releasePace are the least time between two writes of one status; bulkPace is that of
	// deliveries while many objects are delivered, and bulkObjects that of objects, also from the beginning of the bulk:
	// the Release, which is small, says how far that is. judgePace is between two looks at a delivery then.
	objectPace   = 50 * time.Millisecond
	deliveryPace = time.Second
	releasePace  = 100 * time.Millisecond
	judgePace    = time.Second
	bulkPace     = 5 * time.Second
	bulkObjects  = 30 * time.Second
	// memoryRest is how long after a bulk the memory that it took is given back, at the earliest.
	memoryRest = time.Second
	// bulk is how many changed objects are many.
	bulk = 50
)

// entry is one status to be looked at: of an object, of a cluster's delivery, or, with neither, of the release and
// its federation. With put it is the write of a delivery's status that was looked at before.
type entry struct {
	federation types.NamespacedName
	object     manifest.ID
	cluster    string
	put        bool
	// stages is the look at the rollouts of the federation.
	stages bool
	// memory is about no status: what a bulk took is to be given back to the system.
	memory bool
}

// reporter is the one writer of status. It is told what may have changed, gathers, compares with what was written
// last, and writes a whole status in one request, or nothing.
type reporter struct {
	engine *engine
	queue  workqueue.TypedRateLimitingInterface[entry]

	mu      sync.Mutex
	written map[entry]time.Time // when each was written last
}

func newReporter(e *engine) *reporter {
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[entry](firstRetry, lastRetry)
	return &reporter{engine: e, queue: workqueue.NewTypedRateLimitingQueue(limit), written: map[entry]time.Time{}}
}

// add has a status looked at soon, and not sooner than pace after it was written last.
func (r *reporter) add(e entry, pace time.Duration) {
	r.mu.Lock()
	wait := pace - time.Since(r.written[e])
	r.mu.Unlock()
	r.queue.AddAfter(e, max(wait, gather))
}

// lastWrite is when a status was written last.
func (r *reporter) lastWrite(e entry) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.written[e]
}

// wrote notes that a status was written.
func (r *reporter) wrote(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[e] = time.Now()
}

// forget drops what is remembered of a federation.
func (r *reporter) forget(federation types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.written, func(e entry, _ time.Time) bool { return e.federation == federation })
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

// object of a federation may have changed on one cluster. The caller holds f.mu.
func (r *reporter) object(f *federation, id manifest.ID, cluster string) {
	r.add(entry{federation: f.key, object: id}, f.objectPace(id, r.lastWrite(entry{federation: f.key, object: id})))
	r.add(entry{federation: f.key, cluster: cluster}, f.pace(releasePace, judgePace))
}

// objectPace is the least time between two writes of the status of an object that was written then. The caller holds f.mu.
func (f *federation) objectPace(id manifest.ID, written time.Time) time.Duration {
	if !f.bulk || f.urgent[id] {
		return objectPace
	}
	if written.Before(f.bulkSince) { // as if it had been written when the bulk began
		return bulkObjects + f.bulkSince.Sub(written)
	}
	return bulkObjects
}

// pace is usual, but while many objects are delivered. The caller holds f.mu.
func (f *federation) pace(usual, inBulk time.Duration) time.Duration {
	if f.bulk {
		return inBulk
	}
	return usual
}

// cluster may have changed for all objects: it was lost, or found again.
func (r *reporter) cluster(f *federation, cluster string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.legs[cluster]; l != nil {
		for id := range l.wants.all() {
			r.add(entry{federation: f.key, object: id}, f.lossPace(id, r.lastWrite(entry{federation: f.key, object: id})))
		}
		r.add(entry{federation: f.key, cluster: cluster}, 0)
	}
}

// lossPace is the least time between two writes of the status of an object on a cluster that is lost or found: at once, but in a
// bulk, where the Release and the Delivery say it already. The caller holds f.mu.
func (f *federation) lossPace(id manifest.ID, written time.Time) time.Duration {
	if !f.bulk {
		return 0
	}
	return f.objectPace(id, written)
}

// objects may have changed on any cluster, and with them every delivery. The caller holds f.mu.
func (r *reporter) objects(f *federation, ids iter.Seq[manifest.ID]) {
	r.objectsOn(f, ids, maps.Keys(f.legs))
}

// begun has told what a plan in force changes: of some objects, of all deliveries, and of the Release, which said already that
// it begins. What comes of it meanwhile is told of at once. The caller holds f.mu.
func (r *reporter) begun(f *federation, ids iter.Seq[manifest.ID]) {
	for id := range ids {
		r.queue.AddAfter(entry{federation: f.key, object: id}, beginning)
	}
	for c, l := range f.legs {
		r.queue.AddAfter(entry{federation: f.key, cluster: c}, beginning)
		switch {
		case l.stale && r.engine.elsewhere(c): // an order: another replica waits for it
			r.queue.Add(entry{federation: f.key, cluster: c, put: true})
		case l.stale:
			r.queue.AddAfter(entry{federation: f.key, cluster: c, put: true}, beginning)
		}
	}
	r.queue.AddAfter(entry{federation: f.key}, beginning)
}

// objectsOn is objects for what can have changed on these clusters only: with a thousand of them, each of which says
// something at the same time, all would be looked at a million times. The caller holds f.mu.
func (r *reporter) objectsOn(f *federation, ids iter.Seq[manifest.ID], clusters iter.Seq[string]) {
	for id := range ids {
		r.add(entry{federation: f.key, object: id}, 0)
	}
	for c := range clusters {
		r.add(entry{federation: f.key, cluster: c}, 0)
	}
	r.add(entry{federation: f.key}, 0)
}

// write brings one status up to date.
func (r *reporter) write(ctx context.Context, e entry) error {
	if e.memory {
		r.giveBack()
		return nil
	}
	f := r.engine.federation(e.federation)
	if f == nil {
		return nil
	}
	if r.engine.follows() { // who leads judges
		if e.cluster == "" {
			return nil
		}
		return r.dispatch(ctx, f, e.cluster)
	}
	switch {
	case e.object != manifest.ID{}:
		return r.writeObject(ctx, f, e.object)
	case e.stages:
		return r.engine.stage(ctx, f)
	case e.put:
		return errors.Join(r.recordDelivery(ctx, f, e.cluster), r.putDelivery(ctx, f, e.cluster))
	case e.cluster != "":
		r.judgeDelivery(f, e.cluster)
		r.wrote(e)
		return nil
	default:
		return r.writeRelease(ctx, f)
	}
}

// giveBack returns the memory that is not in use to the system, when all is told of what it was taken for: what is left of a bulk
// is small, and the Go runtime would keep its garbage until there is as much again, or for minutes.
func (r *reporter) giveBack() {
	if r.queue.Len() > 0 {
		r.queue.AddAfter(entry{memory: true}, memoryRest)
		return
	}
	debug.FreeOSMemory()
}

// settled says whether all that is wanted is known: before that, what is missing may only not have been listed yet,
// and nothing is reported that a moment later would turn out differently. The caller holds f.mu.
func (r *reporter) settled(f *federation, l *leg) bool {
	if l.listed {
		return true
	}
	if wait := r.engine.expected(l.cluster); wait > 0 {
		r.queue.AddAfter(entry{federation: f.key, cluster: l.cluster}, wait+gather)
		return false
	}
	why, _ := r.engine.reach(l.cluster)
	return why != ""
}

func (r *reporter) writeObject(ctx context.Context, f *federation, id manifest.ID) error {
	if err := r.recordObject(ctx, f, id); err != nil {
		return err
	}
	f.mu.Lock()
	o := f.objects[id]
	if o == nil || !f.announced || f.unwritten[id] {
		if o != nil {
			f.waiting[id] = true
		}
		f.mu.Unlock()
		return nil
	}
	var cells []status.Cell
	for _, c := range f.clusters() {
		l := f.legs[c]
		w, wanted := l.wants.get(id)
		if !wanted {
			continue
		}
		if !r.settled(f, l) {
			f.waiting[id] = true
			f.mu.Unlock()
			return nil
		}
		why, _ := r.engine.reach(c)
		cells = append(cells, f.cell(l, id, w, why))
	}
	next, decision, known := o.DeepCopy(), f.mirroring.decisions[id], f.plan.Kind(id.GroupKind())
	f.mu.Unlock()
	if err := r.engine.mirrored(ctx, f, id, decision, cells); err != nil {
		return err
	}
	next.Status = status.Object(o.Status, o.Generation, known, o.Spec.Message, cells, time.Now())
	if equality.Semantic.DeepEqual(o.Status, next.Status) {
		return nil
	}
	if err := r.engine.store.PutStatus(ctx, next); err != nil {
		return r.recreate(ctx, f, next, entry{federation: f.key, object: id}, err)
	}
	r.wrote(entry{federation: f.key, object: id})
	f.mu.Lock()
	defer f.mu.Unlock()
	if kept := f.objects[id]; kept != nil {
		updated := *kept
		updated.Status = next.Status
		f.objects[id] = &updated
	}
	return nil
}

// recreate puts a record that somebody deleted on the hub back, and has its status, e, looked at again.
func (r *reporter) recreate(ctx context.Context, f *federation, record client.Object, e entry, err error) error {
	if !apierrors.IsNotFound(err) {
		return err
	}
	if !f.keeps(record) {
		return nil // it was us who deleted it
	}
	f.untell(record)
	if release, ok := record.(*v1alpha1.Release); ok {
		err = r.engine.putRelease(ctx, f, release)
	} else if err = r.engine.store.Put(ctx, record); err == nil {
		f.remember(record)
	}
	r.add(e, 0)
	return err
}

// untell forgets what status of an object was written: the object is made anew, and has none.
func (f *federation) untell(record client.Object) {
	o, ok := record.(*v1alpha1.FederatedObject)
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if kept := f.objects[o.Spec.Template.ID()]; kept != nil {
		untold := *kept
		untold.Status = v1alpha1.FederatedObjectStatus{}
		f.objects[o.Spec.Template.ID()] = &untold
	}
}

// judgeDelivery brings the status of a delivery up to date in memory, which is what the Release is judged by, and
// has it written when it is its turn.
func (r *reporter) judgeDelivery(f *federation, cluster string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.stir(f, cluster)
	l := f.legs[cluster]
	elsewhere := r.engine.elsewhere(cluster)
	if l != nil && elsewhere {
		r.heed(f, l)
	}
	if l == nil || !f.announced || l.delivery.Name == "" || l.stale || !r.settled(f, l) {
		return
	}
	if !elsewhere { // else the replica that holds it does
		r.tellFights(f, l)
	}
	next := r.deliveryStatus(f, l)
	r.tellDelivery(f, l, next)
	if equality.Semantic.DeepEqual(l.delivery.Status, next) && !l.untold {
		return
	}
	l.delivery.Status, l.untold = next, true
	r.add(entry{federation: f.key, cluster: cluster, put: true}, f.pace(deliveryPace, bulkPace))
	r.add(entry{federation: f.key}, releasePace)
}

// putDelivery writes the status of a delivery as it was judged last.
func (r *reporter) putDelivery(ctx context.Context, f *federation, cluster string) error {
	f.telling.deliveries.Lock()
	defer f.telling.deliveries.Unlock()
	f.mu.Lock()
	l := f.legs[cluster]
	if l == nil || !l.untold || l.stale { // a status about the spec before is not worth a write
		f.mu.Unlock()
		return nil
	}
	l.untold = false
	d := l.delivery.DeepCopy()
	f.mu.Unlock()
	err := r.engine.store.PutStatus(ctx, d)
	if err == nil {
		r.wrote(entry{federation: f.key, cluster: cluster, put: true})
		return nil
	}
	f.mu.Lock()
	l.untold = true
	f.mu.Unlock()
	return r.recreate(ctx, f, d, entry{federation: f.key, cluster: cluster}, err)
}

// deliveryStatus is judged from the plan in force. The caller holds f.mu.
func (r *reporter) deliveryStatus(f *federation, l *leg) v1alpha1.DeliveryStatus {
	run := l.run
	run.Unreachable, run.LastProbeTime = r.engine.reach(l.cluster)
	run.Outage = r.engine.silence(l.cluster)
	return status.Delivery(l.delivery.Status, l.delivery.Generation, f.revision, run, f.cells(l, run.Unreachable), time.Now())
}

// writeRelease writes the status of the newest Release and of its Federation.
func (r *reporter) writeRelease(ctx context.Context, f *federation) error {
	return errors.Join(r.release(ctx, f), r.federation(ctx, f))
}

// release writes the status of the newest Release. While its plan is being announced, that says Progressing whatever
// the clusters say.
func (r *reporter) release(ctx context.Context, f *federation) error {
	f.telling.release.Lock()
	defer f.telling.release.Unlock()
	f.mu.Lock()
	if f.release == nil {
		f.mu.Unlock()
		return nil
	}
	f.judgeRelease()
	if !f.untold {
		f.mu.Unlock()
		return nil
	}
	f.untold = false
	release, last := f.release.DeepCopy(), f.untoldDeliveries()
	f.mu.Unlock()
	for _, cluster := range last {
		if err := r.putDelivery(ctx, f, cluster); err != nil {
			f.retell()
			return err
		}
	}
	err := r.engine.store.PutStatus(ctx, release)
	if err == nil {
		r.wrote(entry{federation: f.key})
		r.engine.tellReady(f, release)
		return nil
	}
	f.retell()
	return r.recreate(ctx, f, release, entry{federation: f.key}, err)
}

// retell has the status of the Release written again.
func (f *federation) retell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.untold = true
}

// untoldDeliveries are the clusters whose deliveries have to be written before the Release is: one that is Ready is
// read beside Deliveries that say so too. The caller holds f.mu.
func (f *federation) untoldDeliveries() []string {
	var untold []string
	if meta.IsStatusConditionTrue(f.release.Status.Conditions, fluxmeta.ReadyCondition) {
		for c, l := range f.legs {
			if l.untold {
				untold = append(untold, c)
			}
		}
	}
	return untold
}

// judgeRelease brings the status of the newest Release up to date in memory. The caller holds f.mu.
func (f *federation) judgeRelease() {
	next := status.Release(f.release.Status, f.release.Generation, f.releaseInput(), time.Now())
	f.leadTime.Observe(f.release, next, time.Now())
	if !equality.Semantic.DeepEqual(f.release.Status, next) {
		f.release.Status, f.untold = next, true
	}
}

// superseded writes the last status of an older Release.
func (r *reporter) superseded(ctx context.Context, old *v1alpha1.Release, by string) error {
	old.Status = status.Release(old.Status, old.Generation, status.ReleaseInput{SupersededBy: by}, time.Now())
	if err := r.engine.store.PutStatus(ctx, old); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// federation writes the status of the Federation: that of its newest Release, or why there is none.
func (r *reporter) federation(ctx context.Context, f *federation) error {
	f.telling.federation.Lock()
	defer f.telling.federation.Unlock()
	f.mu.Lock()
	fed := f.declaration.DeepCopy()
	in := status.FederationInput{FetchError: f.unread, Suspended: fed.Spec.Suspend, HandledAt: f.handledAt, Rollouts: f.rolloutStates()}
	if f.release != nil {
		f.judgeRelease() // another plan for the same commit may be in force by now
		in.Release, in.Newest, in.Revision = f.release.Name, f.release.Status, f.release.Spec.Revision
	}
	fed.Status = status.Federation(f.declaration.Status, f.evaluated, in, time.Now())
	same := equality.Semantic.DeepEqual(f.declaration.Status, fed.Status)
	f.mu.Unlock()
	if same {
		return nil
	}
	if err := r.engine.store.PutStatus(ctx, fed); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declaration.Status = fed.Status
	return nil
}
