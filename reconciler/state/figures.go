package state

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/status"
)

// Figures are what metrics show of a Federation.
type Figures struct {
	SourceReady   bool
	Suspended     bool
	Interval      time.Duration
	LastReconcile time.Time // zero before the first
	LeadTime      counts.LeadTime
	Release       *v1alpha1.ReleaseStatus // of the newest Release; nil before the first
	Clusters      []ClusterFigures
}

// ClusterFigures are what metrics show of one Delivery.
type ClusterFigures struct {
	Cluster      string
	State        v1alpha1.State
	Summary      v1alpha1.Summary
	PruneBlocked bool
	LastReady    time.Time // zero if unknown
	Contended    int
	Counts       counts.Delivery
}

// Figures returns what metrics show of the Federation.
func (f *Federation) Figures(now time.Time) Figures {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := Figures{
		SourceReady: f.newest.sourceError == "", Suspended: f.declared.object.Spec.Suspend, Interval: f.declared.object.Spec.Interval.Duration,
		LastReconcile: f.declared.reconciledAt, LeadTime: f.leadTime,
	}
	if f.records.release != nil {
		x.Release = f.records.release.Status.DeepCopy()
	}
	for _, l := range f.clusters {
		if !l.idle() {
			x.Clusters = append(x.Clusters, f.clusterFigures(l, now))
		}
	}
	return x
}

func (f *Federation) clusterFigures(l *cluster, now time.Time) ClusterFigures {
	s := l.delivery.Status
	x := ClusterFigures{
		Cluster: l.name, State: status.NewDeliveryState(l.name, l.generation(), s).State, Summary: s.Summary,
		PruneBlocked: l.run.PruneBlocked != "", LastReady: l.counts.LastReady, Contended: len(l.contention.lines()), Counts: l.counts.Clone(),
	}
	if ready(s) { // now, as far as the cluster is reachable
		x.LastReady = f.registry.Reachability(l.name, now).LastProbe
	}
	return x
}
