package state

import (
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/drift"
)

// Reasons of events about contention.
const (
	contentionDetected = "ContentionDetected"
	contentionResolved = "ContentionResolved"
)

// contend records the repairs of a delivery, and requests a repair of spared objects at the end of the first back-off.
func (f *Federation) contend(c *changes.Changes, l *delivery.State, r delivery.Result, now time.Time) {
	l.Contention.Record(r.Drift, l.WantedDigest, now)
	var waits []time.Duration
	for _, id := range r.Spared {
		waits = append(waits, l.Contention.Backoff(id, l.WantedDigest(id), now))
	}
	if len(waits) > 0 {
		f.requestRepair(c, l, slices.Min(waits))
	}
}

// reportContention brings the reported contention of a Delivery up to date, and computes it again while there is any.
func (f *Federation) reportContention(c *changes.Changes, l *delivery.State, now time.Time) {
	for _, x := range l.Contention.Resolve(l.WantedDigest, l.Seen, now) {
		c.Event(l.Delivery, changes.Normal, contentionResolved, x.Resolution())
		l.Run.Drift = slices.DeleteFunc(l.Run.Drift, func(line string) bool { return strings.HasPrefix(line, x.ID().String()+" ") })
	}
	l.Run.Contended = l.Contention.Lines()
	for _, x := range l.Contention.Announce() {
		c.Event(l.Delivery, changes.Warning, contentionDetected, x.Detection())
	}
	if len(l.Run.Contended) > 0 {
		c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: l.Name}, Delay: drift.ContentionWindow})
	}
}
