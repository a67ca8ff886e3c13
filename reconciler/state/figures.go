package state

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/status"
)

// Figures has the metrics of a Federation.
type Figures struct {
	SourceReady   bool
	Suspended     bool
	Interval      time.Duration
	LastReconcile time.Time // zero before the first
	LeadTime      counts.LeadTime
	Release       *v1alpha1.ReleaseStatus // of the newest Release; nil before the first
	Clusters      []ClusterFigures
}

// ClusterFigures has the metrics of one Delivery.
type ClusterFigures struct {
	Cluster      string
	State        v1alpha1.State
	Summary      v1alpha1.Summary
	PruneBlocked bool
	LastReady    time.Time // zero if unknown
	Contended    int
	Counts       counts.Delivery
}

// Figures returns the metrics of the Federation.
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
		if !l.Idle() {
			x.Clusters = append(x.Clusters, f.clusterFigures(l, now))
		}
	}
	return x
}

func (f *Federation) clusterFigures(l *delivery.State, now time.Time) ClusterFigures {
	s := l.Delivery.Status
	x := ClusterFigures{
		Cluster: l.Name, State: status.NewDeliveryState(l.Name, l.Generation(), s).State, Summary: s.Summary,
		PruneBlocked: l.Run.PruneBlocked != "", LastReady: l.Counts.LastReady, Contended: len(l.Contention.Lines()), Counts: l.Counts.Clone(),
	}
	if ready(s) { // now, as far as the cluster is reachable
		x.LastReady = f.registry.Reachability(l.Name, now).LastProbe
	}
	return x
}
