package deliver

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/deliver/workqueue"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

// workersPerCluster bounds the Federations that are delivered to one cluster at once: a bulk of one does not delay another.
const workersPerCluster = 2

// Worker executes one cluster: its queue, its deliveries, its watches and its connection.
type Worker struct {
	pool   *Pool
	member *clusters.Member
	queue  *workqueue.Queue[types.NamespacedName] // the most urgent Federation first
	stop   context.CancelFunc
	done   sync.WaitGroup
	closed sync.Once
	survey survey
	// surveyNow requests a survey before the interval is over.
	surveyNow chan struct{}
	late      late

	mu      sync.Mutex
	watches map[types.NamespacedName]*watch.Watcher
	reach   reachability.State
	// refusal is the reason to deliver nothing to a cluster that answers; nil when it is identified.
	refusal error
}

// errUnidentified is the refusal of a cluster before it is identified.
var errUnidentified = errors.New(reachability.NotProbed)

// newWorker starts to work at once.
func newWorker(p *Pool, m *clusters.Member) *Worker {
	ctx, stop := context.WithCancel(context.Background()) // ends in close, which the pool calls
	w := &Worker{
		pool: p, member: m, stop: stop, watches: map[types.NamespacedName]*watch.Watcher{},
		reach: reachability.State{Unreachable: reachability.NotProbed}, surveyNow: make(chan struct{}, 1),
		refusal: errUnidentified,
	}
	w.survey.finished = make(chan struct{})
	w.queue = workqueue.New(workersPerCluster, firstRetry, lastRetry, func(key types.NamespacedName, priority int) { w.work(ctx, key, priority) })
	w.done.Go(func() { w.surveys(ctx) })
	w.done.Go(func() { w.followBreaker(ctx) })
	w.done.Go(func() { w.askPods(ctx) })
	w.done.Go(func() { w.audit(ctx) })
	return w
}

// Name returns the name of the cluster.
func (w *Worker) Name() string { return w.member.Name }

// Member returns the connection to the cluster.
func (w *Worker) Member() *clusters.Member { return w.member }

// QueueLength returns how many Federations wait for a delivery.
func (w *Worker) QueueLength() int { return w.queue.Len() }

// Breaker returns the status of the cluster's breaker.
func (w *Worker) Breaker() breaker.Status { return w.member.Breaker.Status() }

// close cancels the deliveries and waits for them. At the end of the process, the pool closes a worker while another
// caller disconnects its cluster: the second one waits for the first.
func (w *Worker) close() { w.closed.Do(w.end) }

func (w *Worker) end() {
	w.stop()
	w.queue.Close()
	w.done.Wait()
	w.mu.Lock()
	watches := slices.Collect(maps.Values(w.watches))
	w.mu.Unlock()
	for _, x := range watches { // without the lock, which a watch may need to end
		x.Close()
	}
	w.member.Close()
}

// watch returns the watch of a Federation on the cluster, which it opens when it is first needed. It returns nil for a Federation that is
// gone: one of the same name that is declared later would inherit the watch, and never learn of the objects that were listed before.
func (w *Worker) watch(f *state.Federation) *watch.Watcher {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := f.Key()
	if w.pool.registry.Federation(key) != f {
		return nil
	}
	x := w.watches[key]
	if x == nil {
		x = w.member.NewWatcher(applyset.ID(key.String()), observer{w, key})
		w.watches[key] = x
	}
	return x
}

// unwatch closes the watch of a Federation.
func (w *Worker) unwatch(key types.NamespacedName) {
	w.mu.Lock()
	x := w.watches[key]
	delete(w.watches, key)
	w.mu.Unlock()
	if x != nil {
		x.Close()
	}
	w.late.forget(key, func(manifest.ID) bool { return true })
}

// Reachability returns whether the cluster answers.
func (w *Worker) Reachability() reachability.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reach
}

func (w *Worker) reachable() bool { return w.Reachability().Unreachable == "" }

// Identify records whether the cluster that answers is the declared one; refusal is nil if it is. Until the first call, and
// after a refusal, accord delivers nothing there.
func (w *Worker) Identify(refusal error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refusal = refusal
}

// Identified reports whether the cluster that answers is the declared one.
func (w *Worker) Identified() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refusal == nil
}

// probed records the result of a probe, and reports whether the cluster became reachable or unreachable. A cluster that
// answers is unreachable all the same while its watches are lost, or its breaker is not closed.
func (w *Worker) probed(err error, now time.Time) (changed bool) {
	w.mu.Lock()
	err = cmp.Or(err, w.refusal)
	for _, x := range w.watches {
		if since, lost := x.Lost(); err == nil && lost != nil && now.Sub(since) > reachability.LostGrace {
			err = lost
		}
	}
	if trouble := w.Breaker(); err == nil && trouble.Cause != nil {
		err = trouble.Cause
	}
	why := ""
	if err != nil {
		why = err.Error()
	} else {
		w.reach.LastProbe = now
	}
	changed = (why == "") != (w.reach.Unreachable == "")
	// The same reason in other words is no news.
	if reason := clusters.Reason(err); changed || reason != w.reach.Silence.Reason || w.reach.Unreachable == reachability.NotProbed {
		w.reach.Unreachable, w.reach.Silence.Reason = why, reason
	}
	w.mu.Unlock()
	w.publish()
	return changed
}

// publish writes the reachability into the state.
func (w *Worker) publish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	reach := w.reach
	if trouble := w.Breaker(); trouble.Cause != nil {
		reach.Silence = silence(trouble)
	}
	w.pool.registry.SetReachability(w.Name(), reach)
}

// silence describes a breaker that is not closed.
func silence(trouble breaker.Status) status.Outage {
	s := status.Outage{Reason: status.BreakerOpen, Since: trouble.Since, Retry: trouble.Pause}
	// A problem that only a person can fix is not hidden behind the breaker.
	if reason := clusters.Reason(trouble.Cause); slices.Contains([]string{clusters.AuthFailed, clusters.TLSFailed}, reason) {
		s.Reason = reason
	}
	return s
}
