package state

import (
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
)

// repair requests the repair of an object, at once or at the end of its back-off. While a delivery is under way, missing
// and outdated objects are most often those that it is about to change: they are checked when it ends.
func (f *Federation) repair(c *changes.Changes, l *delivery.State, id manifest.ID, now time.Time) {
	if l.Run.Finished {
		f.requestRepair(c, l, l.Contention.Backoff(id, l.Wants.Of(id).Digest, now))
		return
	}
	l.NoteDrift(id)
}

// repairDrifted requests the repair of objects that drifted during a delivery and still differ. A failed object is retried
// anyway, in its own time.
func (f *Federation) repairDrifted(c *changes.Changes, l *delivery.State, now time.Time) {
	if !l.Run.Finished {
		return
	}
	for id := range l.Drifted {
		w := l.Wants.Of(id)
		if seen, _ := l.Live.Get(id); w.Drifted(seen) && l.Errors[id] == "" {
			f.requestRepair(c, l, max(changes.Gather, l.Contention.Backoff(id, w.Digest, now))) // a recreated object is observed by then
		}
	}
	clear(l.Drifted)
}

func (f *Federation) requestRepair(c *changes.Changes, l *delivery.State, after time.Duration) {
	c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: l.Name, Priority: changes.Repair, After: after})
}
