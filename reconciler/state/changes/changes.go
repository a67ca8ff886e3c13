// Package changes describes the work that follows from a transition of a Federation: statuses to write, deliveries to run,
// events to emit.
package changes

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/manifest"
)

// The least time between two writes of one status.
const (
	ObjectInterval  = 50 * time.Millisecond
	ReleaseInterval = 100 * time.Millisecond
	// DeliveryInterval is for writes of a Delivery; bulkDeliveryInterval holds during a bulk. While a bulk is in progress on a cluster,
	// the interval is progressPerCluster for each cluster of the Federation, at least bulkDeliveryInterval, at most
	// lastProgressInterval, counted from the start of the bulk: the Release, which is small, reports the progress.
	DeliveryInterval     = time.Second
	bulkDeliveryInterval = 5 * time.Second
	progressPerCluster   = 100 * time.Millisecond
	lastProgressInterval = time.Minute
	// BulkComputeInterval separates two computations of one Delivery's status during a bulk, and two writes of the Release.
	BulkComputeInterval = time.Second
	// bulkObjectInterval holds for objects during a bulk, counted from its start: the Release, which is small, reports
	// the progress.
	bulkObjectInterval = 30 * time.Second
	// RolloutInterval separates two decisions about the rollouts of a Federation.
	RolloutInterval = 100 * time.Millisecond
	// StartDelay delays the first status writes of a delivery so that they do not compete with its applies.
	StartDelay = 100 * time.Millisecond
	// startDelayPerCluster is added for the Delivery of each cluster of the Federation. While a delivery lasts, it is also the interval for
	// each cluster between two writes of a FederatedObject, of the Release, and of the Federation: a FederatedObject names each cluster, so
	// that its writes would cost more than the reports of the clusters.
	startDelayPerCluster = 2 * time.Millisecond
	// UnfinishedDelay is the time after which an agent reports an assignment that is not finished. Most are, and take one report.
	UnfinishedDelay = 2 * time.Second
	// BulkSize is the number of changed objects above which a delivery is a bulk.
	BulkSize = 50
)

// Gather is the time for which the reporter gathers updates of one status before it computes the status.
const Gather = 10 * time.Millisecond

// RetryInterval is the interval of retries of a failed fetch, if the interval of the Federation is longer.
const RetryInterval = 15 * time.Second

// Record is an object of the hub.
type Record interface {
	runtime.Object
	metav1.Object
}

// Changes lists the work that follows from a transition. The zero value lists nothing.
type Changes struct {
	Updates    []Update
	Deliveries []DeliveryRequest
	Events     []Event
	// Rollouts are Federations whose rollouts have to be decided again.
	Rollouts []RolloutCheck
	// Evictions are Federations whose evictions have to be decided again.
	Evictions []types.NamespacedName
	// Replan are Federations that need a new plan.
	Replan []types.NamespacedName
}

// Status identifies one status: of a FederatedObject, of a Delivery, or, with neither Object nor Cluster, of the newest
// Release and its Federation.
type Status struct {
	Federation types.NamespacedName
	Object     manifest.ID
	Cluster    string
	// Write is set for the write of a Delivery. Without it the status of the Delivery is computed in memory.
	Write bool
}

// Update asks the reporter to bring one status up to date.
type Update struct {
	Status
	// Interval is the least time since the last write of the status, or since Since if that is later.
	Interval time.Duration
	Since    time.Time
	// Delay, if positive, replaces Interval: the update waits for that long.
	Delay time.Duration
	// Immediate updates are neither delayed nor gathered.
	Immediate bool
	// OneOfMany is set for the status of one of many objects: it is written when no other status waits.
	OneOfMany bool
}

// Priority orders the Federations that wait for one cluster. Within a delivery, Job.First orders the objects.
type Priority int

// Priorities, lowest first.
const (
	// Resync may find nothing to do: the cluster became reachable, or an interval passed.
	Resync Priority = iota
	// Repair follows a change on the member.
	Repair
	// Change follows a change of the wanted state.
	Change
)

// DeliveryRequest asks the executor of a cluster to deliver a Federation.
type DeliveryRequest struct {
	Federation types.NamespacedName
	Cluster    string
	Priority   Priority
	After      time.Duration
}

// RolloutCheck asks for a decision about the rollouts of a Federation.
type RolloutCheck struct {
	Federation types.NamespacedName
	// Interval is the least time since the last decision.
	Interval time.Duration
}

// Event is an event about a record. Type is Normal or Warning.
type Event struct {
	About   Record
	Type    string
	Reason  string
	Message string
}

// Types of events.
const (
	Normal  = "Normal"
	Warning = "Warning"
)

// Add appends the changes of another transition.
func (c *Changes) Add(other Changes) {
	c.Updates = append(c.Updates, other.Updates...)
	c.Deliveries = append(c.Deliveries, other.Deliveries...)
	c.Events = append(c.Events, other.Events...)
	c.Rollouts = append(c.Rollouts, other.Rollouts...)
	c.Evictions = append(c.Evictions, other.Evictions...)
	c.Replan = append(c.Replan, other.Replan...)
}

// Many reports whether c updates the statuses of many objects.
func (c *Changes) Many() bool {
	n := 0
	for _, u := range c.Updates {
		if u.Object != (manifest.ID{}) {
			n++
		}
	}
	return n > BulkSize
}

func (c *Changes) Event(about Record, kind, reason, message string) {
	c.Events = append(c.Events, Event{about, kind, reason, message})
}

// Bulk is the delivery of many changed objects. While it lasts, statuses are written less often.
type Bulk struct {
	Active bool
	// Delivering is set, in a bulk or not, until every reachable cluster was delivered: a status that is written before competes with the
	// deliveries, and soon changes again.
	Delivering bool
	since      time.Time
	progress   time.Duration // the least time between two writes of a status that follows from many clusters, until the delivery ends
	// gathered are the updates that wait for the end of the delivery, as they were before.
	gathered map[Status]Update
	// Urgent are the few objects that a newer change touches. The map is replaced, never changed.
	Urgent map[manifest.ID]bool
}

// ObjectUpdate returns the update of one object. interval holds outside a bulk.
func (b *Bulk) ObjectUpdate(key types.NamespacedName, id manifest.ID, interval time.Duration) Update {
	u := Update{Status: Status{Federation: key, Object: id}, Interval: interval}
	switch {
	case !b.Active:
		return b.Gather(u)
	case b.Urgent[id]:
		u.Interval = ObjectInterval
	default:
		u.Interval, u.Since, u.OneOfMany = bulkObjectInterval, b.since, true
	}
	return u
}

// Gather delays an update that follows from the first results of a delivery, which is no bulk, until the delivery ends, at most until
// StartDelay after its start. With many clusters it separates the updates that report the progress further.
func (b *Bulk) Gather(u Update) Update {
	if !b.Delivering || b.Active {
		return u
	}
	if b.gathered == nil {
		b.gathered = map[Status]Update{}
	}
	b.gathered[u.Status] = u
	u.Interval, u.Since = max(u.Interval, StartDelay, b.progress), b.since
	return u
}

// DeliveryUpdate returns the update that writes one Delivery. progressing reports whether the cluster has a part of the revision.
func (b *Bulk) DeliveryUpdate(of Status, clusters int, progressing bool) Update {
	of.Write = true
	u := Update{Status: of, Interval: DeliveryInterval}
	switch {
	case !b.Active:
	case progressing:
		u.Interval = min(max(time.Duration(clusters)*progressPerCluster, bulkDeliveryInterval), lastProgressInterval)
		u.Since = b.since
	default:
		u.Interval = bulkDeliveryInterval
	}
	return u
}

// DeliveryDelay returns the delay of the first write of a Delivery after the start of a delivery to some clusters. If the cluster has an
// agent, the write has the result, too, unless the agent takes so long that it reports before the end, or the hub takes three times as long
// for the reports of all agents as they are spread over.
func DeliveryDelay(clusters int, hasAgent bool) time.Duration {
	if hasAgent {
		return UnfinishedDelay + 3*delivery.ReportSpread(clusters)
	}
	return StartDelay + time.Duration(clusters)*startDelayPerCluster
}

// Interval returns usual, or inBulk during a bulk.
func (b *Bulk) Interval(usual, inBulk time.Duration) time.Duration {
	if b.Active {
		return inBulk
	}
	return usual
}

// Begin starts a delivery to some clusters, and a bulk if many objects changed. During a bulk, it marks the objects of a small change urgent.
func (b *Bulk) Begin(changed map[manifest.ID]bool, clusters int, now time.Time) {
	b.Delivering, b.progress = true, time.Duration(clusters)*startDelayPerCluster
	switch {
	case len(changed) > BulkSize:
		b.Active, b.since, b.Urgent = true, now, nil
	case !b.Active:
		b.since = now
	default:
		urgent := make(map[manifest.ID]bool, len(changed)+len(b.Urgent))
		for id := range changed {
			urgent[id] = true
		}
		if len(b.Urgent)+len(changed) <= BulkSize {
			for id := range b.Urgent {
				urgent[id] = true
			}
		}
		b.Urgent = urgent
	}
}

// End ends the delivery. It reports whether the delivery was a bulk, and returns the updates that waited for its end.
func (b *Bulk) End() (bulk bool, gathered []Update) {
	bulk, gathered = b.Active, slices.Collect(maps.Values(b.gathered))
	*b = Bulk{}
	return bulk, gathered
}

// ObjectUpdate returns the changes that update the status of one object.
func ObjectUpdate(federation types.NamespacedName, id manifest.ID) Changes {
	return Changes{Updates: []Update{{Status: Status{Federation: federation, Object: id}, Interval: ObjectInterval}}}
}
