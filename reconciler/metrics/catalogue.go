// Package metrics has the metrics of the controllers: their catalogue, and a collector that computes them from a Snapshot
// when Prometheus scrapes.
package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/accord-dev/accord/reconciler/metrics/counts"
)

// Metric describes one metric of the controllers. docs/reference/metrics.md is generated from the catalogue, and tests check
// dashboards and alert rules against it.
type Metric struct {
	// Name begins with "accord_" and ends with the unit, or with "_total" for a counter.
	Name string
	// Type is gauge, counter or histogram.
	Type string
	// Labels in the order of their values. No label has the name of an object, so that the number of series is bounded by
	// the Federations and clusters.
	Labels []string
	// Help explains the metric, and its absence, in sentences.
	Help string
}

// All returns the catalogue in the order of the documentation. The endpoint also serves the metrics of
// controller-runtime, client-go and Go.
func All() []Metric {
	all := make([]Metric, 0, len(catalogue))
	for _, s := range catalogue {
		m := s.Metric
		m.Labels = slices.Clone(m.Labels)
		all = append(all, m)
	}
	return all
}

// series is a Metric with its description for Prometheus.
type series struct {
	Metric
	desc *prometheus.Desc
}

func newSeries(name, kind, help string, labels ...string) *series {
	return &series{Metric{Name: name, Type: kind, Labels: labels, Help: help}, prometheus.NewDesc(name, help, labels, nil)}
}

// metric returns one value; labels in the order of the Metric. A wrong number of labels is a programming error and panics.
func (s *series) metric(value float64, labels ...string) prometheus.Metric {
	kind := prometheus.GaugeValue
	if s.Type == counter {
		kind = prometheus.CounterValue
	}
	return prometheus.MustNewConstMetric(s.desc, kind, value, labels...)
}

// histogram returns the value of a histogram.
func (s *series) histogram(h *counts.Histogram, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstHistogram(s.desc, h.Count, h.Sum, h.Cumulative(), labels...)
}

// Types of metrics.
const (
	gauge         = "gauge"
	counter       = "counter"
	histogramType = "histogram"
)

// Labels of metrics.
const (
	ofFederation = "federation" // "<namespace>/<name>"
	ofCluster    = "cluster"
	ofState      = "state"
	ofReason     = "reason"
	ofResult     = "result"
	ofManager    = "manager"
	ofResource   = "resource"
	ofVerb       = "verb"
	ofSource     = "source"
	ofKind       = "kind"
)

var (
	sourceReady           = newSeries("accord_source_ready", gauge, "1 if the last fetch read all sources of the Federation, else 0: the clusters then keep their objects.", ofFederation)
	lagSeconds            = newSeries("accord_federation_lag_seconds", gauge, "Seconds since the oldest change of the sources that a cluster of the Federation does not have: 0 while all have every change that accord has read. Alert on accord_live_unread, too: accord does not know the changes of a cluster that it cannot read.", ofFederation)
	liveObjects           = newSeries("accord_live_objects", gauge, "Objects that accord reads from the live cluster that is the source, by kind (\"Deployment.apps\").", ofFederation, ofSource, ofKind)
	liveUnread            = newSeries("accord_live_unread", gauge, "1 while the live cluster cannot be read, else 0. accord then goes on with the objects that it read last.", ofFederation, ofSource)
	liveRead              = newSeries("accord_live_read_timestamp_seconds", gauge, "Unix time at which the live cluster was last known to have the objects with which accord plans. It is the current time while accord follows the cluster. Absent before the first snapshot.", ofFederation, ofSource)
	liveListed            = newSeries("accord_live_listed_timestamp_seconds", gauge, "Unix time of the last full comparison with the live cluster: each kind was completely listed since then. Between lists accord follows its watches. Absent before the first one.", ofFederation, ofSource)
	standbyActive         = newSeries("accord_standby_active", gauge, "1 while the standby of a RecoveryPlan is the active site, 0 while production is: what the delivered revision says. source is the live cluster of production.", ofFederation, ofSource, ofCluster)
	kindDesired           = newSeries("accord_kind_objects_desired", gauge, "Objects of a kind that the plan places on the cluster, without those that are held. The metrics by kind are present for Federations that read a live cluster.", ofFederation, ofCluster, ofKind)
	kindApplied           = newSeries("accord_kind_objects_applied", gauge, "Desired objects of a kind that are synchronized: the cluster runs their desired version.", ofFederation, ofCluster, ofKind)
	kindFailed            = newSeries("accord_kind_objects_failed", gauge, "Desired objects of a kind that cannot be applied, or that are not healthy.", ofFederation, ofCluster, ofKind)
	lastReconcile         = newSeries("accord_federation_last_reconcile_timestamp_seconds", gauge, "Unix time of the last reconciliation of the Federation, whatever its result. Absent before the first one in this process.", ofFederation)
	intervalSeconds       = newSeries("accord_federation_interval_seconds", gauge, "The interval at which the Federation is reconciled (spec.interval).", ofFederation)
	suspendedNow          = newSeries("accord_federation_suspended", gauge, "1 if the Federation is suspended (spec.suspend), else 0.", ofFederation)
	releaseReady          = newSeries("accord_release_ready", gauge, "1 if the Release of the newest commit is Ready, else 0; reason is the current reason of its condition Ready. Every Federation has one series.", ofFederation, ofReason)
	releaseObjects        = newSeries("accord_release_objects", gauge, "Objects in the plan of the newest commit.", ofFederation)
	releaseClusters       = newSeries("accord_release_clusters", gauge, "Clusters of the newest Release by state. Each cluster is in one state; the sum is the number of clusters in the plan.", ofFederation, ofState)
	commitToApplied       = newSeries("accord_commit_to_applied_seconds", histogramType, "From the committer's time until the Release is Applied on all clusters of its plan. Every commit counts once. A commit that was superseded, rejected, or applied by an earlier process does not count.", ofFederation)
	commitToHealthy       = newSeries("accord_commit_to_healthy_seconds", histogramType, "From the committer's time until the Release is Ready. Counted like accord_commit_to_applied_seconds.", ofFederation)
	objectsDesired        = newSeries("accord_objects_desired", gauge, "Objects that the plan places on the cluster: the denominator of the metrics below.", ofFederation, ofCluster)
	objectsApplied        = newSeries("accord_objects_applied", gauge, "Desired objects whose desired version the cluster runs.", ofFederation, ofCluster)
	objectsByState        = newSeries("accord_objects", gauge, "Desired objects of the cluster by state: Healthy, Progressing, Failed, Held or Unreachable. Each object is in one state.", ofFederation, ofCluster, ofState)
	deliveryState         = newSeries("accord_delivery_state", gauge, "1 for the current state of the Delivery to the cluster: Healthy, Progressing, Failed, Held or Unreachable. Every Delivery has one series.", ofFederation, ofCluster, ofState)
	lastSuccess           = newSeries("accord_delivery_last_success_timestamp_seconds", gauge, "Unix time at which all desired objects of the cluster were last known to be applied and healthy. It advances with every answer of the cluster while they are. Absent if it is not known.", ofFederation, ofCluster)
	deliveries            = newSeries("accord_deliveries_total", counter, "Finished deliveries by result: success or error. accord makes no delivery while nothing differs. Every failed attempt counts once; reason is the most frequent reason of the failed objects, the reason why the whole cluster rejected the delivery, or PruneBlocked. It is empty for success.", ofFederation, ofCluster, ofResult, ofReason)
	pruneBlocked          = newSeries("accord_prune_blocked", gauge, "1 if the newest plan would delete more on the cluster than the prune limits allow, so that nothing is deleted, else 0.", ofFederation, ofCluster)
	driftRepaired         = newSeries("accord_drift_repaired_total", counter, "Objects that another client changed or deleted and that accord applied again, by field manager. The first managers of a delivery have a series each, the others share \"other\". A deletion leaves no manager: \"unknown\".", ofFederation, ofCluster, ofManager)
	contendedObjects      = newSeries("accord_contended_objects", gauge, "Objects that another client changes back again and again; accord repairs them at growing intervals.", ofFederation, ofCluster)
	clusterReachable      = newSeries("accord_cluster_reachable", gauge, "1 if the cluster is reachable. 0 if not: its circuit breaker is open, and accord sends only probes; in pull mode, it does not hear its agent.", ofCluster)
	clusterReady          = newSeries("accord_cluster_ready", gauge, "1 if the cluster is Ready, else 0: it gets no new objects. Ready changes only after --cluster-failure-threshold or --cluster-success-threshold.", ofCluster)
	failoverBlocked       = newSeries("accord_cluster_failover_blocked", gauge, "1 while the cluster gets no taint NoExecute, because so many clusters are not Ready that accord doubts its own network, else 0.", ofCluster)
	evictionsBegun        = newSeries("accord_evictions_total", counter, "Evictions of objects that began, by reason: TaintUntolerated, ApplicationFailure or ClusterRemoved.", ofFederation, ofReason)
	evictionsOpen         = newSeries("accord_evictions_open", gauge, "Evictions under way: the old copy is still there, or no replacement is healthy yet.", ofFederation)
	evictionRecovery      = newSeries("accord_eviction_recovery_seconds", histogramType, "From the failure until every replacement of an evicted object was healthy. An eviction that an earlier process began does not count.", ofFederation)
	descheduled           = newSeries("accord_descheduler_moves_total", counter, "Workloads of which the descheduler moved replicas to other clusters. A workload whose replicas move again counts again.", ofFederation)
	breakerState          = newSeries("accord_cluster_breaker_state", gauge, "1 for the current state of the circuit breaker of the cluster, else 0: closed, half-open (requests pass one by one), or open (only probes pass).", ofCluster, ofState)
	lastProbeSuccess      = newSeries("accord_cluster_last_probe_success_timestamp_seconds", gauge, "Unix time of the last answer of the cluster. Absent if it never answered in this process.", ofCluster)
	queueDepth            = newSeries("accord_delivery_queue_depth", gauge, "Deliveries to the cluster that wait for a worker.", ofCluster)
	statusQueueDepth      = newSeries("accord_status_queue_depth", gauge, "Statuses that wait to be computed and written.")
	bundleClusters        = newSeries("accord_bundle_clusters", gauge, "Clusters whose bundle this replica serves to their agents. The metrics of bundles are absent where no aggregated API runs.")
	bundleObjects         = newSeries("accord_bundle_objects", gauge, "Objects of all bundles. An object that clusters share counts once.")
	bundleBytes           = newSeries("accord_bundle_bytes", gauge, "Bytes of the objects and indexes of all bundles, uncompressed. An object that clusters share counts once.")
	bundleCompressedBytes = newSeries("accord_bundle_compressed_bytes", gauge, "Bytes of the compressed objects and indexes that this replica keeps, at most 64 MiB.")
	bundleCompressions    = newSeries("accord_bundle_compressions_total", counter, "Objects and indexes that were compressed for an agent. All agents share a compressed object.")
	bundleEvictions       = newSeries("accord_bundle_evictions_total", counter, "Compressed objects and indexes that were discarded because others were used more recently.")
	bundleWaiting         = newSeries("accord_bundle_waiting", gauge, "Requests and watches that wait for another bundle.")
	hubWrites             = newSeries("accord_hub_writes_total", counter, "Write requests to the API server of the hub, by resource (\"releases.accord.dev/status\") and HTTP method.", ofResource, ofVerb)
)

// catalogue lists all metrics in the order of the documentation.
var catalogue = []*series{
	sourceReady, lagSeconds, lastReconcile, intervalSeconds, suspendedNow,
	liveObjects, liveUnread, liveRead, liveListed, standbyActive, kindDesired, kindApplied, kindFailed,
	releaseReady, releaseObjects, releaseClusters, commitToApplied, commitToHealthy,
	evictionsBegun, evictionsOpen, evictionRecovery, descheduled,
	objectsDesired, objectsApplied, objectsByState,
	deliveryState, lastSuccess, deliveries, pruneBlocked, driftRepaired, contendedObjects,
	clusterReachable, clusterReady, failoverBlocked, breakerState, lastProbeSuccess, queueDepth,
	bundleClusters, bundleObjects, bundleBytes, bundleCompressedBytes, bundleCompressions, bundleEvictions, bundleWaiting,
	statusQueueDepth, hubWrites,
}
