package state

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
)

// The least time between two writes of one status.
const (
	objectInterval  = 50 * time.Millisecond
	releaseInterval = 100 * time.Millisecond
	// deliveryInterval is for writes of a Delivery; bulkDeliveryInterval holds during a bulk.
	deliveryInterval     = time.Second
	bulkDeliveryInterval = 5 * time.Second
	// bulkComputeInterval separates two computations of one Delivery's status during a bulk.
	bulkComputeInterval = time.Second
	// bulkObjectInterval holds for objects during a bulk, counted from its start: the Release, which is small, reports
	// the progress.
	bulkObjectInterval = 30 * time.Second
	// rolloutInterval separates two decisions about the rollouts of a Federation.
	rolloutInterval = 100 * time.Millisecond
	// startDelay delays the first status writes of a delivery so that they do not compete with its applies.
	startDelay = 100 * time.Millisecond
	// bulkSize is the number of changed objects above which a delivery is a bulk.
	bulkSize = 50
)

// Gather is how long the reporter gathers updates of one status before it computes the status.
const Gather = 10 * time.Millisecond

// RetryInterval is how soon a source that could not be read is fetched again, if the Federation's interval is longer.
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
	// Replan are Federations that need a new plan.
	Replan []types.NamespacedName
	// BulkEnded reports that a bulk has ended: its memory can be returned to the system.
	BulkEnded bool
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
	c.Replan = append(c.Replan, other.Replan...)
	c.BulkEnded = c.BulkEnded || other.BulkEnded
}

func (c *Changes) event(about Record, kind, reason, message string) {
	c.Events = append(c.Events, Event{about, kind, reason, message})
}

func (f *Federation) updateRelease(c *Changes, interval time.Duration) {
	c.Updates = append(c.Updates, Update{Status: Status{Federation: f.key}, Interval: interval})
}

func (f *Federation) updateCluster(c *Changes, cluster string, interval time.Duration) {
	c.Updates = append(c.Updates, Update{Status: Status{Federation: f.key, Cluster: cluster}, Interval: interval})
}

func (f *Federation) updateObject(c *Changes, id manifest.ID, interval time.Duration) {
	c.Updates = append(c.Updates, Update{Status: Status{Federation: f.key, Object: id}, Interval: interval})
}

func (f *Federation) writeDelivery(c *Changes, cluster string, interval time.Duration) {
	c.Updates = append(c.Updates, Update{Status: Status{Federation: f.key, Cluster: cluster, Write: true}, Interval: interval})
}

// observed adds the updates that follow from an observation of one object on one cluster.
func (f *Federation) observed(c *Changes, id manifest.ID, cluster string) {
	c.Updates = append(c.Updates, f.bulk.objectUpdate(f.key, id, objectInterval))
	f.updateCluster(c, cluster, f.bulk.interval(releaseInterval, bulkComputeInterval))
}

// updateObjects updates objects and every Delivery.
func (f *Federation) updateObjects(c *Changes, ids map[manifest.ID]bool) {
	f.updateObjectsOn(c, ids, f.names()...)
}

// updateObjectsOn updates objects that can have changed on some clusters only: with a thousand clusters that each
// report at the same time, updateObjects would compute a million Deliveries.
func (f *Federation) updateObjectsOn(c *Changes, ids map[manifest.ID]bool, clusters ...string) {
	for id := range ids {
		f.updateObject(c, id, 0)
	}
	for _, name := range clusters {
		f.updateCluster(c, name, 0)
	}
	f.updateRelease(c, 0)
}

// bulk is the delivery of many changed objects. While it lasts, statuses are written less often.
type bulk struct {
	active bool
	since  time.Time
	// urgent are the few objects that a newer change touches. The map is replaced, never changed.
	urgent map[manifest.ID]bool
}

// objectUpdate returns the update of one object. interval holds outside a bulk.
func (b *bulk) objectUpdate(key types.NamespacedName, id manifest.ID, interval time.Duration) Update {
	u := Update{Status: Status{Federation: key, Object: id}, Interval: interval}
	switch {
	case !b.active:
	case b.urgent[id]:
		u.Interval = objectInterval
	default:
		u.Interval, u.Since = bulkObjectInterval, b.since
	}
	return u
}

// interval returns usual, or inBulk during a bulk.
func (b *bulk) interval(usual, inBulk time.Duration) time.Duration {
	if b.active {
		return inBulk
	}
	return usual
}

// begin starts a bulk if many objects changed. During a bulk, it marks the objects of a small change urgent.
func (b *bulk) begin(changed map[manifest.ID]bool, now time.Time) {
	switch {
	case len(changed) > bulkSize:
		b.active, b.since, b.urgent = true, now, nil
	case b.active:
		urgent := make(map[manifest.ID]bool, len(changed)+len(b.urgent))
		for id := range changed {
			urgent[id] = true
		}
		if len(b.urgent)+len(changed) <= bulkSize {
			for id := range b.urgent {
				urgent[id] = true
			}
		}
		b.urgent = urgent
	}
}

// endBulk ends the bulk when every reachable cluster has been delivered, and updates all objects.
func (f *Federation) endBulk(c *Changes, now time.Time) {
	if f.bulk.active && !f.outstanding(now) {
		f.bulk.active, f.bulk.urgent = false, nil
		f.updateObjects(c, f.objectIDs())
		c.BulkEnded = true
	}
}

// ObjectUpdate returns the changes that update the status of one object.
func ObjectUpdate(federation types.NamespacedName, id manifest.ID) Changes {
	return Changes{Updates: []Update{{Status: Status{Federation: federation, Object: id}, Interval: objectInterval}}}
}
