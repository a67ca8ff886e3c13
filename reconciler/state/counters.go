package state

import (
	"maps"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

const (
	// maxManagers bounds the field managers of one Delivery that are counted apart.
	maxManagers = 10
	// otherManager stands for all further managers, unknownManager for those without a name.
	otherManager, unknownManager = "other", "unknown"
	// maxManagerName bounds the name of a manager, in bytes: the API server allows 128.
	maxManagerName = 64
)

// deliveryCounters count the attempts to deliver to one cluster.
type deliveryCounters struct {
	succeeded int
	failed    map[string]int // by reason
	drift     map[string]int // by field manager
	lastReady time.Time      // when the Delivery was Ready last; zero while it is, and if that is unknown
}

// count counts one attempt.
func (n *deliveryCounters) count(r Result) {
	if r.Failure != "" {
		n.failed = increment(n.failed, r.Failure)
	} else {
		n.succeeded++
	}
	for _, d := range r.Drift {
		n.drift = increment(n.drift, n.manager(d.Manager))
	}
}

func increment(in map[string]int, key string) map[string]int {
	if in == nil {
		in = map[string]int{}
	}
	in[key]++
	return in
}

// manager returns the label of a field manager. The owner of the manager chooses its name, so the labels are bounded.
func (n *deliveryCounters) manager(name string) string {
	name = strings.ToValidUTF8(name[:min(len(name), maxManagerName)], "")
	switch _, known := n.drift[name]; {
	case name == "":
		return unknownManager
	case !known && len(n.drift) >= maxManagers:
		return otherManager
	}
	return name
}

// Figures are what metrics show of a Federation.
type Figures struct {
	Federation string // "<namespace>/<name>"
	// Follower is set at a replica that follows: then only the Clusters count, as far as they are Owned.
	Follower         bool
	SourceReady      bool
	Suspended        bool
	Interval         time.Duration
	LastReconcile    time.Time // zero before the first
	Applied, Healthy Durations // from commit to applied, and to healthy
	Release          *v1alpha1.ReleaseStatus
	Clusters         []ClusterFigures
}

// ClusterFigures are what metrics show of one Delivery.
type ClusterFigures struct {
	Cluster      string
	Owned        bool // by this replica
	State        v1alpha1.State
	Summary      v1alpha1.Summary
	PruneBlocked bool
	LastReady    time.Time // zero if unknown
	Contended    int
	Succeeded    int
	Failed       map[string]int // by reason
	Drift        map[string]int // by field manager
}

// Figures returns what metrics show of the Federation.
func (f *Federation) Figures(now time.Time) Figures {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := Figures{
		Federation: f.key.String(), Follower: f.registry.Follower(), SourceReady: f.newest.sourceError == "",
		Suspended: f.declared.object.Spec.Suspend, Interval: f.declared.object.Spec.Interval.Duration,
		LastReconcile: f.declared.reconciledAt, Applied: f.leadTime.applied, Healthy: f.leadTime.healthy,
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
		Cluster: l.name, Owned: f.registry.Owns(l.name), State: status.NewDeliveryState(l.name, l.generation(), s).State, Summary: s.Summary,
		PruneBlocked: l.run.PruneBlocked != "", LastReady: l.counters.lastReady, Contended: len(l.contention.lines()),
		Succeeded: l.counters.succeeded, Failed: maps.Clone(l.counters.failed), Drift: maps.Clone(l.counters.drift),
	}
	if ready(s) { // now, as far as the cluster is reachable
		x.LastReady = f.registry.Reachability(l.name, now).LastProbe
	}
	return x
}
