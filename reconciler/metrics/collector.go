package metrics

import (
	"maps"
	"slices"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/state/figures"
)

// Snapshot is the state of this replica that the metrics show. A Federation or a cluster that is gone is not in the next
// one, and has no series from then on.
type Snapshot struct {
	Federations []Federation
	Deliveries  []Delivery
	Clusters    []Cluster
	// Executions are the clusters that this replica executes.
	Executions       []Execution
	StatusQueueDepth int
	// Live are the live clusters that this replica reads.
	Live []LiveSource
	// Standbys are those of the RecoveryPlans. Only the leader has them.
	Standbys []Standby
	// Bundles has the figures of the bundles that this replica serves; nil if no API serves them.
	Bundles *bundles.Counts
}

// Federation has the figures of one Federation. Only the leader has them.
type Federation struct {
	Name                   string // "<namespace>/<name>"
	SourceReady, Suspended bool
	Interval               time.Duration
	LastReconcile          time.Time // zero before the first one
	LeadTime               counts.LeadTime
	Release                *v1alpha1.ReleaseStatus // of the newest Release; nil before the first one
	Failover               counts.Failover
}

// Delivery has the status of one Delivery. Only the leader has it.
type Delivery struct {
	Federation, Cluster string
	State               v1alpha1.State
	Summary             v1alpha1.Summary
	PruneBlocked        bool
	LastSuccess         time.Time // zero if it is not known
	Kinds               map[string]counts.Kind
}

// LiveSource has the figures of a live cluster that is a source.
type LiveSource struct {
	Federation, Source string
	Objects            map[string]int // by kind
	Unread             bool
	Listed, Read       time.Time // zero if unknown
}

// Standby tells which site of a RecoveryPlan is active.
type Standby struct {
	Federation, Source, Cluster string
	Active                      bool
}

// Execution has the counts of the work of this replica on one cluster for one Federation.
type Execution struct {
	Federation, Cluster string
	Contended           int
	Counts              counts.Delivery
}

// Cluster has the reachability and the health of one cluster. Breaker is empty for a cluster that is declared and not connected.
type Cluster struct {
	Name             string
	Reachable        bool
	Ready            bool // the condition, which changes later than Reachable
	FailoverBlocked  bool
	Breaker          breaker.State
	QueueDepth       int
	LastProbeSuccess time.Time // zero if it never answered in this process
}

// Add adds the figures of a Federation: its statuses and the standbys of its plan if this replica leads, and the clusters that it
// executes. The plan is nil before the first one.
func (s *Snapshot) Add(federation string, f figures.Federation, plan *propagate.Plan, leads bool, executes func(cluster string) bool) {
	if leads {
		s.Federations = append(s.Federations, Federation{
			Name: federation, SourceReady: f.SourceReady, Suspended: f.Suspended, Interval: f.Interval,
			LastReconcile: f.LastReconcile, LeadTime: f.LeadTime, Release: f.Release, Failover: f.Failover,
		})
	}
	if leads && plan != nil {
		for _, p := range plan.Recoveries {
			s.Standbys = append(s.Standbys, Standby{Federation: federation, Source: p.Spec.Source, Cluster: p.Spec.Standby, Active: p.Spec.Active == policy.StandbySite})
		}
	}
	for _, d := range f.Clusters {
		if leads {
			s.Deliveries = append(s.Deliveries, Delivery{
				Federation: federation, Cluster: d.Cluster, State: d.State, Summary: d.Summary, PruneBlocked: d.PruneBlocked, LastSuccess: d.LastReady, Kinds: d.Kinds,
			})
		}
		if executes(d.Cluster) {
			s.Executions = append(s.Executions, Execution{Federation: federation, Cluster: d.Cluster, Contended: d.Contended, Counts: d.Counts})
		}
	}
}

// collector turns Snapshots into metrics when Prometheus scrapes. It sends no request.
type collector struct {
	snapshot func() Snapshot
	writes   *HubWrites
}

// NewCollector returns a collector of the figures in a Snapshot and of the writes to the hub.
func NewCollector(snapshot func() Snapshot, writes *HubWrites) prometheus.Collector {
	return &collector{snapshot: snapshot, writes: writes}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, s := range catalogue {
		to <- s.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	send := func(all []prometheus.Metric) {
		for _, m := range all {
			to <- m
		}
	}
	s := c.snapshot()
	for _, f := range s.Federations {
		send(f.metrics())
	}
	for _, d := range s.Deliveries {
		send(d.metrics())
	}
	for _, l := range s.Live {
		send(l.metrics())
	}
	for _, x := range s.Standbys {
		to <- standbyActive.metric(boolean(x.Active), x.Federation, x.Source, x.Cluster)
	}
	for _, x := range s.Executions {
		send(x.metrics())
	}
	for _, cluster := range s.Clusters {
		send(cluster.metrics())
	}
	if s.Bundles != nil {
		send(bundleMetrics(*s.Bundles))
	}
	send(c.writes.metrics())
	to <- statusQueueDepth.metric(float64(s.StatusQueueDepth))
}

func (f *Federation) metrics() []prometheus.Metric {
	all := []prometheus.Metric{
		sourceReady.metric(boolean(f.SourceReady), f.Name),
		intervalSeconds.metric(f.Interval.Seconds(), f.Name),
		suspendedNow.metric(boolean(f.Suspended), f.Name),
		commitToApplied.histogram(&f.LeadTime.Applied, f.Name),
		commitToHealthy.histogram(&f.LeadTime.Healthy, f.Name),
		evictionsOpen.metric(float64(f.Failover.Open), f.Name),
		evictionRecovery.histogram(&f.Failover.Recovery, f.Name),
		descheduled.metric(float64(f.Failover.Descheduled), f.Name),
	}
	lag := time.Duration(0)
	if behind := f.LeadTime.Behind; !behind.IsZero() {
		lag = max(0, time.Since(behind))
	}
	all = append(all, lagSeconds.metric(lag.Seconds(), f.Name))
	for _, reason := range slices.Sorted(maps.Keys(f.Failover.Begun)) {
		all = append(all, evictionsBegun.metric(float64(f.Failover.Begun[reason]), f.Name, reason))
	}
	if !f.LastReconcile.IsZero() {
		all = append(all, lastReconcile.metric(unix(f.LastReconcile), f.Name))
	}
	if f.Release == nil {
		return all
	}
	all = append(all, releaseObjects.metric(float64(f.Release.Objects), f.Name))
	if ready := meta.FindStatusCondition(f.Release.Conditions, fluxmeta.ReadyCondition); ready != nil {
		all = append(all, releaseReady.metric(boolean(ready.Status == "True"), f.Name, ready.Reason))
	}
	for _, n := range byState(f.Release.Summary) {
		all = append(all, releaseClusters.metric(float64(n.count), f.Name, string(n.state)))
	}
	return all
}

func (d *Delivery) metrics() []prometheus.Metric {
	all := []prometheus.Metric{
		objectsDesired.metric(float64(d.Summary.Total), d.Federation, d.Cluster),
		objectsApplied.metric(float64(d.Summary.Applied), d.Federation, d.Cluster),
		deliveryState.metric(1, d.Federation, d.Cluster, string(d.State)),
		pruneBlocked.metric(boolean(d.PruneBlocked), d.Federation, d.Cluster),
	}
	for _, n := range byState(d.Summary) {
		all = append(all, objectsByState.metric(float64(n.count), d.Federation, d.Cluster, string(n.state)))
	}
	for _, kind := range slices.Sorted(maps.Keys(d.Kinds)) {
		n := d.Kinds[kind]
		all = append(all, kindDesired.metric(float64(n.Desired), d.Federation, d.Cluster, kind),
			kindApplied.metric(float64(n.Applied), d.Federation, d.Cluster, kind), kindFailed.metric(float64(n.Failed), d.Federation, d.Cluster, kind))
	}
	if !d.LastSuccess.IsZero() {
		all = append(all, lastSuccess.metric(unix(d.LastSuccess), d.Federation, d.Cluster))
	}
	return all
}

func (l *LiveSource) metrics() []prometheus.Metric {
	all := []prometheus.Metric{liveUnread.metric(boolean(l.Unread), l.Federation, l.Source)}
	for _, kind := range slices.Sorted(maps.Keys(l.Objects)) {
		all = append(all, liveObjects.metric(float64(l.Objects[kind]), l.Federation, l.Source, kind))
	}
	if !l.Read.IsZero() {
		all = append(all, liveRead.metric(unix(l.Read), l.Federation, l.Source))
	}
	if !l.Listed.IsZero() {
		all = append(all, liveListed.metric(unix(l.Listed), l.Federation, l.Source))
	}
	return all
}

// Values of the label result, as in controller_runtime_reconcile_total.
const (
	resultSuccess = "success"
	resultError   = "error"
)

func (x *Execution) metrics() []prometheus.Metric {
	all := []prometheus.Metric{
		contendedObjects.metric(float64(x.Contended), x.Federation, x.Cluster),
		deliveries.metric(float64(x.Counts.Succeeded), x.Federation, x.Cluster, resultSuccess, ""),
	}
	for reason, n := range x.Counts.Failed {
		all = append(all, deliveries.metric(float64(n), x.Federation, x.Cluster, resultError, reason))
	}
	for manager, n := range x.Counts.Drift {
		all = append(all, driftRepaired.metric(float64(n), x.Federation, x.Cluster, manager))
	}
	return all
}

func (c *Cluster) metrics() []prometheus.Metric {
	all := []prometheus.Metric{
		clusterReachable.metric(boolean(c.Reachable), c.Name),
		clusterReady.metric(boolean(c.Ready), c.Name),
		failoverBlocked.metric(boolean(c.FailoverBlocked), c.Name),
	}
	if c.Breaker == "" {
		return all
	}
	all = append(all, queueDepth.metric(float64(c.QueueDepth), c.Name))
	for _, state := range breaker.States() {
		all = append(all, breakerState.metric(boolean(state == c.Breaker), c.Name, string(state)))
	}
	if !c.LastProbeSuccess.IsZero() {
		all = append(all, lastProbeSuccess.metric(unix(c.LastProbeSuccess), c.Name))
	}
	return all
}

func bundleMetrics(n bundles.Counts) []prometheus.Metric {
	return []prometheus.Metric{
		bundleClusters.metric(float64(n.Clusters)), bundleObjects.metric(float64(n.Objects)), bundleBytes.metric(float64(n.Bytes)),
		bundleCompressedBytes.metric(float64(n.CompressedBytes)), bundleCompressions.metric(float64(n.Compressions)), bundleEvictions.metric(float64(n.Evictions)),
		bundleWaiting.metric(float64(n.Waiting)),
	}
}

// stateCount is the number of items in one state.
type stateCount struct {
	state v1alpha1.State
	count int32
}

// byState splits a summary. Every item that it counts is in exactly one of the states.
func byState(s v1alpha1.Summary) []stateCount {
	return []stateCount{
		{v1alpha1.Healthy, s.Healthy}, {v1alpha1.Progressing, s.Progressing}, {v1alpha1.Failed, s.Failed},
		{v1alpha1.Held, s.Held}, {v1alpha1.Unreachable, s.Unreachable},
	}
}

// boolean returns 1 for true and 0 for false.
func boolean(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// unix returns a time in seconds with a fraction, as Prometheus expects.
func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
