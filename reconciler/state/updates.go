package state

import (
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

func (f *Federation) updateRelease(c *changes.Changes, interval time.Duration) {
	c.Updates = append(c.Updates, f.bulk.Gather(changes.Update{Status: changes.Status{Federation: f.key}, Interval: interval}))
}

func (f *Federation) updateCluster(c *changes.Changes, cluster string, interval time.Duration) {
	c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: cluster}, Interval: interval})
}

func (f *Federation) updateObject(c *changes.Changes, id manifest.ID, interval time.Duration) {
	c.Updates = append(c.Updates, f.bulk.Gather(changes.Update{Status: changes.Status{Federation: f.key, Object: id}, Interval: interval}))
}

// observed adds the updates that follow from an observation of one object on one cluster.
func (f *Federation) observed(c *changes.Changes, id manifest.ID, cluster string) {
	f.checkEvictions(c, id)
	c.Updates = append(c.Updates, f.bulk.ObjectUpdate(f.key, id, changes.ObjectInterval))
	f.updateCluster(c, cluster, f.bulk.Interval(changes.ReleaseInterval, changes.BulkComputeInterval))
}

// updateObjects updates objects and every Delivery.
func (f *Federation) updateObjects(c *changes.Changes, ids map[manifest.ID]bool) {
	f.updateObjectsOn(c, ids, f.names()...)
}

// updateObjectsOn updates objects that can have changed on some clusters only: with a thousand clusters that each
// report at the same time, updateObjects would compute a million Deliveries.
func (f *Federation) updateObjectsOn(c *changes.Changes, ids map[manifest.ID]bool, clusters ...string) {
	for id := range ids {
		f.updateObject(c, id, 0)
	}
	for _, name := range clusters {
		f.updateCluster(c, name, 0)
	}
	f.updateRelease(c, f.bulk.Interval(0, changes.BulkComputeInterval))
}

// endBulk ends the delivery when every reachable cluster has been delivered: the updates that waited for its end are made now, and after a
// bulk those of all objects. Updates that follow from the last delivery are made afterwards, so that they do not wait.
func (f *Federation) endBulk(c *changes.Changes, now time.Time) {
	if !f.bulk.Delivering || f.outstanding(now) {
		return
	}
	bulk, gathered := f.bulk.End()
	c.Updates = append(c.Updates, gathered...)
	if bulk {
		f.updateObjects(c, f.objectIDs())
	}
}
