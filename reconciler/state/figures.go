package state

import (
	"cmp"
	"time"

	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/figures"
	"github.com/accord-dev/accord/status"
)

// Figures returns the metrics of the Federation.
func (f *Federation) Figures(now time.Time) figures.Federation {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := figures.Federation{
		SourceReady: status.IsRead(cmp.Or(f.newest.sourceError, f.newest.unread)), Suspended: f.declared.object.Spec.Suspend, Interval: f.declared.object.Spec.Interval.Duration,
		LastReconcile: f.declared.reconciledAt, LeadTime: f.leadTime,
	}
	if f.records.release != nil {
		x.Release = f.records.release.Status.DeepCopy()
	}
	x.Failover = f.evictions.Figures(&f.records.objects)
	for _, l := range f.clusters {
		if !l.Idle() {
			x.Clusters = append(x.Clusters, f.clusterFigures(l, now))
		}
	}
	return x
}

func (f *Federation) clusterFigures(l *delivery.State, now time.Time) figures.Cluster {
	s := l.Delivery.Status
	x := figures.Cluster{
		Cluster: l.Name, State: status.NewDeliveryState(l.Name, l.Generation(), s).State, Summary: s.Summary,
		PruneBlocked: l.Run.PruneBlocked != "" || f.newest.pending != nil && f.newest.pending.PruneBlock.Stops(l.Name), LastReady: l.Counts.LastReady, Contended: len(l.Contention.Lines()), Counts: l.Counts.Clone(),
	}
	if delivery.Ready(s) { // now, as far as the cluster is reachable
		x.LastReady = f.registry.Reachability(l.Name, now).LastProbe
	}
	if f.declared.object.Spec.ReadsLiveCluster() {
		x.Kinds = l.ByKind(f.circumstances(f.registry.Reachability(l.Name, now).Unreachable))
	}
	return x
}
