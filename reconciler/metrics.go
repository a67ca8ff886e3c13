package reconciler

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Metric describes one metric of the controllers. docs/metrics.md is made from these, and dashboards and alert rules are
// checked against them.
type Metric struct {
	// Name begins with "accord_", and ends with the unit, or with "_total" if it counts.
	Name string
	// Type is gauge, counter or histogram.
	Type string
	// Labels in the order of their values. None has the name of an object in it: their number is bounded by those of
	// federations and clusters.
	Labels []string
	// Help says in sentences what it is, and what its absence means.
	Help string
}

// Metrics lists all of them, in the order in which they are explained. Beside them the endpoint serves what
// controller-runtime, client-go and Go count of themselves.
func Metrics() []Metric {
	all := make([]Metric, 0, len(catalogue))
	for _, s := range catalogue {
		m := s.Metric
		m.Labels = slices.Clone(m.Labels)
		all = append(all, m)
	}
	return all
}

// series is a metric that values can be given of.
type series struct {
	Metric
	desc *prometheus.Desc
}

func newSeries(name, kind, help string, labels ...string) *series {
	return &series{Metric{Name: name, Type: kind, Labels: labels, Help: help}, prometheus.NewDesc(name, help, labels, nil)}
}

// is a value of the metric; labels in its order. A wrong number of them is a mistake in this package, and panics.
func (s *series) is(value float64, labels ...string) prometheus.Metric {
	kind := prometheus.GaugeValue
	if s.Type == counter {
		kind = prometheus.CounterValue
	}
	return prometheus.MustNewConstMetric(s.desc, kind, value, labels...)
}

// Types of metrics.
const (
	gauge     = "gauge"
	counter   = "counter"
	histogram = "histogram"
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
)

var (
	sourceReady      = newSeries("accord_source_ready", gauge, "1 if all sources of the federation could be read the last time, 0 if not: the clusters keep what they have.", ofFederation)
	lastReconcile    = newSeries("accord_federation_last_reconcile_timestamp_seconds", gauge, "When the federation was looked at last, whatever was found; Unix time. Absent before the first time in this process.", ofFederation)
	intervalSeconds  = newSeries("accord_federation_interval_seconds", gauge, "How often the federation is to be looked at (spec.interval).", ofFederation)
	suspendedNow     = newSeries("accord_federation_suspended", gauge, "1 if the federation is suspended (spec.suspend), else 0.", ofFederation)
	releaseReady     = newSeries("accord_release_ready", gauge, "1 if the Release of the newest commit is Ready, else 0; reason is that of its condition Ready. There is one series a federation, that of the reason now.", ofFederation, ofReason)
	releaseObjects   = newSeries("accord_release_objects", gauge, "Objects that are decided about in the plan of the newest commit.", ofFederation)
	releaseClusters  = newSeries("accord_release_clusters", gauge, "Clusters of the newest Release by state; each is in one, and the sum is how many were decided.", ofFederation, ofState)
	commitToApplied  = newSeries("accord_commit_to_applied_seconds", histogram, "From the committer's time to the moment when the Release was Applied on all decided clusters. Every commit counts once; one that was overtaken, refused, or applied by an earlier process does not.", ofFederation)
	commitToHealthy  = newSeries("accord_commit_to_healthy_seconds", histogram, "From the committer's time to the moment when the Release was Ready. Counted like accord_commit_to_applied_seconds.", ofFederation)
	objectsDesired   = newSeries("accord_objects_desired", gauge, "Objects that are decided for the cluster: the denominator of the metrics below.", ofFederation, ofCluster)
	objectsApplied   = newSeries("accord_objects_applied", gauge, "Objects of which the cluster runs the version that is decided.", ofFederation, ofCluster)
	objectsByState   = newSeries("accord_objects", gauge, "Objects that are decided for the cluster by state: Healthy, Progressing, Failed, Held or Unreachable. Each is in one.", ofFederation, ofCluster, ofState)
	deliveryState    = newSeries("accord_delivery_state", gauge, "1 for the state that the Delivery to the cluster is in: Healthy, Progressing, Failed, Held or Unreachable. There is one series a delivery, that of the state now.", ofFederation, ofCluster, ofState)
	lastSuccess      = newSeries("accord_delivery_last_success_timestamp_seconds", gauge, "When all that is decided for the cluster was last known to be there and healthy; Unix time. While that is so it moves on with every answer of the cluster, without a request of its own. Absent as long as it is not known.", ofFederation, ofCluster)
	deliveries       = newSeries("accord_deliveries_total", counter, "Deliveries that ended, by result: success or error. No delivery is made while nothing differs. Every failed attempt counts once; reason is that of most of the objects that failed, why the cluster as a whole could not be written to, or PruneBlocked, and empty for success.", ofFederation, ofCluster, ofResult, ofReason)
	pruneBlocked     = newSeries("accord_prune_blocked", gauge, "1 if the last delivery deleted nothing because it would have deleted more than the prune limits allow; else 0.", ofFederation, ofCluster)
	driftRepaired    = newSeries("accord_drift_repaired_total", counter, "Objects that somebody else changed or deleted and that were put right, by field manager. The first managers of a delivery have a series of their own, the rest is \"other\"; who deletes leaves no name and is \"unknown\".", ofFederation, ofCluster, ofManager)
	contendedObjects = newSeries("accord_contended_objects", gauge, "Objects that another writer changes back again and again; accord repairs them with increasing intervals.", ofFederation, ofCluster)
	clusterReachable = newSeries("accord_cluster_reachable", gauge, "1 if the cluster is heard from. 0 if not: its circuit breaker is open, and nothing but probes is sent to it.", ofCluster)
	breakerState     = newSeries("accord_cluster_breaker_state", gauge, "1 for the state that the circuit breaker of the cluster is in, else 0: closed, half-open (requests are let through one by one), or open (nothing but a probe now and then).", ofCluster, ofState)
	lastProbeSuccess = newSeries("accord_cluster_last_probe_success_timestamp_seconds", gauge, "When the cluster answered last; Unix time. Absent if it never did in this process.", ofCluster)
	queueDepth       = newSeries("accord_delivery_queue_depth", gauge, "Deliveries to the cluster that wait for a worker.", ofCluster)
	statusQueueDepth = newSeries("accord_status_queue_depth", gauge, "Statuses that may have changed and wait to be looked at.")
	hubWrites        = newSeries("accord_hub_writes_total", counter, "Requests to the API server of the hub that write, by resource (\"releases.accord.dev/status\") and HTTP method.", ofResource, ofVerb)
)

// catalogue is what exists.
var catalogue = []*series{
	sourceReady, lastReconcile, intervalSeconds, suspendedNow,
	releaseReady, releaseObjects, releaseClusters, commitToApplied, commitToHealthy,
	objectsDesired, objectsApplied, objectsByState,
	deliveryState, lastSuccess, deliveries, pruneBlocked, driftRepaired, contendedObjects,
	clusterReachable, breakerState, lastProbeSuccess, queueDepth,
	statusQueueDepth, hubWrites,
}
