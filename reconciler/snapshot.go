package reconciler

import (
	"maps"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/status"
)

// snapshot returns the figures that the metrics show.
func (e *engine) snapshot() metrics.Snapshot {
	s := metrics.Snapshot{StatusQueueDepth: e.reporter.queue.Len(), Clusters: e.clusterFigures()}
	for _, f := range e.all() {
		e.addFigures(&s, f)
	}
	return s
}

// addFigures adds the figures of a Federation and its deliveries. Only the leader shows statuses; every replica shows
// the clusters that it executes.
func (e *engine) addFigures(s *metrics.Snapshot, f *federation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := f.key.String()
	leads := !e.follows()
	if leads {
		figures := metrics.Federation{
			Name: key, SourceReady: f.unread == "", Suspended: f.declaration.Spec.Suspend, Interval: f.declaration.Spec.Interval.Duration,
			LastReconcile: f.looked, LeadTime: f.leadTime,
		}
		if f.release != nil {
			figures.Release = f.release.Status.DeepCopy()
		}
		s.Federations = append(s.Federations, figures)
	}
	for _, l := range f.legs {
		if l.idle() {
			continue
		}
		if leads {
			s.Deliveries = append(s.Deliveries, metrics.Delivery{
				Federation: key, Cluster: l.cluster, Summary: l.delivery.Status.Summary,
				State:        status.NewDeliveryState(l.cluster, l.generation(), l.delivery.Status).State,
				PruneBlocked: l.run.PruneBlocked != "", LastSuccess: e.lastReady(l),
			})
		}
		if !e.elsewhere(l.cluster) {
			s.Executions = append(s.Executions, metrics.Execution{
				Federation: key, Cluster: l.cluster, Contended: len(l.fights.lines()), Counts: l.counts.Clone(),
			})
		}
	}
}

// lastReady returns when the delivery was last known to be Ready: at the last answer of the cluster while it is Ready.
func (e *engine) lastReady(l *leg) time.Time {
	if !meta.IsStatusConditionTrue(l.delivery.Status.Conditions, fluxmeta.ReadyCondition) {
		return l.counts.LastReady
	}
	_, heard := e.reach(l.cluster)
	return heard
}

// clusterFigures returns the connected clusters, and those that are declared and not connected.
func (e *engine) clusterFigures() []metrics.Cluster {
	e.mu.Lock()
	bulkheads := maps.Clone(e.bulkheads)
	e.mu.Unlock()
	var all []metrics.Cluster
	for name, b := range bulkheads {
		silent, heard := b.reach()
		all = append(all, metrics.Cluster{
			Name: name, Reachable: silent == "", Breaker: b.Breaker.Status().State, QueueDepth: b.queue.Len(), LastProbeSuccess: heard,
		})
	}
	for _, name := range e.roll.names() {
		if bulkheads[name] == nil {
			all = append(all, metrics.Cluster{Name: name})
		}
	}
	return all
}
