package reconciler

import (
	"maps"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// collector says what the engine knows when it is asked. Nothing is kept for it that could outlive what it is about: a
// federation or a cluster that is gone has no series from the next time on. It sends no request.
type collector struct {
	engine *engine
	writes *hubWriteCounter
}

// Describe is prometheus.Collector's.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, s := range catalogue {
		to <- s.desc
	}
}

// Collect is prometheus.Collector's.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	var all []prometheus.Metric
	for _, f := range c.engine.all() {
		all = append(all, c.engine.metricsOf(f)...)
	}
	all = append(all, c.engine.clusterMetrics()...)
	all = append(all, c.writes.metrics()...)
	all = append(all, statusQueueDepth.is(float64(c.engine.reporter.queue.Len())))
	for _, m := range all {
		to <- m
	}
}

// metricsOf a federation and its deliveries.
func (e *engine) metricsOf(f *federation) []prometheus.Metric {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := f.key.String()
	if e.follows() { // what is judged the leader tells
		return e.deedMetrics(f)
	}
	all := []prometheus.Metric{
		sourceReady.is(one(f.unread == ""), key),
		intervalSeconds.is(f.declaration.Spec.Interval.Seconds(), key),
		suspendedNow.is(one(f.declaration.Spec.Suspend), key),
		f.journey.applied.metric(commitToApplied.desc, key),
		f.journey.healthy.metric(commitToHealthy.desc, key),
	}
	if !f.looked.IsZero() {
		all = append(all, lastReconcile.is(unix(f.looked), key))
	}
	if f.release != nil {
		all = append(all, releaseMetrics(key, f.release.Status)...)
	}
	for _, l := range f.legs {
		if !l.idle() {
			all = append(all, e.deliveryMetrics(key, l)...)
		}
	}
	return append(all, e.deedMetrics(f)...)
}

// deedMetrics are about what this replica did on the clusters that it holds. The caller holds f.mu.
func (e *engine) deedMetrics(f *federation) []prometheus.Metric {
	var all []prometheus.Metric
	for _, l := range f.legs {
		if !l.idle() && !e.elsewhere(l.cluster) {
			all = append(all, l.deeds(f.key.String())...)
		}
	}
	return all
}

// Values of the label result, as in controller_runtime_reconcile_total.
const (
	resultSuccess = "success"
	resultError   = "error"
)

// deeds are what was done on one cluster.
func (l *leg) deeds(federation string) []prometheus.Metric {
	all := []prometheus.Metric{
		contendedObjects.is(float64(len(l.fights.lines())), federation, l.cluster),
		deliveries.is(float64(l.figures.succeeded), federation, l.cluster, resultSuccess, ""),
	}
	for reason, n := range l.figures.failed {
		all = append(all, deliveries.is(float64(n), federation, l.cluster, resultError, reason))
	}
	for manager, n := range l.figures.drift {
		all = append(all, driftRepaired.is(float64(n), federation, l.cluster, manager))
	}
	return all
}

// releaseMetrics of the newest Release.
func releaseMetrics(federation string, s v1alpha1.ReleaseStatus) []prometheus.Metric {
	all := []prometheus.Metric{releaseObjects.is(float64(s.Objects), federation)}
	if ready := meta.FindStatusCondition(s.Conditions, fluxmeta.ReadyCondition); ready != nil {
		all = append(all, releaseReady.is(one(ready.Status == "True"), federation, ready.Reason))
	}
	for _, n := range byState(s.Summary) {
		all = append(all, releaseClusters.is(float64(n.count), federation, string(n.state)))
	}
	return all
}

// deliveryMetrics of one federation on one cluster. The caller holds the federation's mutex.
func (e *engine) deliveryMetrics(federation string, l *leg) []prometheus.Metric {
	s := l.delivery.Status
	all := []prometheus.Metric{
		objectsDesired.is(float64(s.Summary.Total), federation, l.cluster),
		objectsApplied.is(float64(s.Summary.Applied), federation, l.cluster),
		deliveryState.is(1, federation, l.cluster, string(status.NewDeliveryState(l.cluster, l.generation(), s).State)),
		pruneBlocked.is(one(l.run.PruneBlocked != ""), federation, l.cluster),
	}
	for _, n := range byState(s.Summary) {
		all = append(all, objectsByState.is(float64(n.count), federation, l.cluster, string(n.state)))
	}
	if at := e.fineAt(l); !at.IsZero() {
		all = append(all, lastSuccess.is(unix(at), federation, l.cluster))
	}
	return all
}

// fineAt is when the delivery was last known to be Ready: now, as far as the cluster answers.
func (e *engine) fineAt(l *leg) time.Time {
	if !meta.IsStatusConditionTrue(l.delivery.Status.Conditions, fluxmeta.ReadyCondition) {
		return l.figures.fine
	}
	_, heard := e.reach(l.cluster)
	return heard
}

// clusterMetrics of those that are connected, and of those that are declared and cannot be.
func (e *engine) clusterMetrics() []prometheus.Metric {
	e.mu.Lock()
	bulkheads := maps.Clone(e.bulkheads)
	e.mu.Unlock()
	var all []prometheus.Metric
	for name, b := range bulkheads {
		silent, heard := b.reach()
		all = append(all, clusterReachable.is(one(silent == ""), name), queueDepth.is(float64(b.queue.Len()), name))
		all = append(all, b.breakerMetrics()...)
		if !heard.IsZero() {
			all = append(all, lastProbeSuccess.is(unix(heard), name))
		}
	}
	for _, name := range e.roll.names() {
		if bulkheads[name] == nil {
			all = append(all, clusterReachable.is(0, name))
		}
	}
	return all
}

// stateCount is how many are in one state.
type stateCount struct {
	state v1alpha1.State
	count int32
}

// byState takes a summary apart: everything that is counted is in one of the states.
func byState(s v1alpha1.Summary) []stateCount {
	return []stateCount{
		{v1alpha1.Healthy, s.Healthy}, {v1alpha1.Progressing, s.Progressing}, {v1alpha1.Failed, s.Failed},
		{v1alpha1.Held, s.Held}, {v1alpha1.Unreachable, s.Unreachable},
	}
}

// one is 1 for true.
func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// unix is a time as Prometheus has it: seconds, with a fraction.
func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
