// Package counts has the figures that accumulate in the state of a Federation: attempts and drift per delivery, and the
// time from a commit to its rollout. They are pure values, which end with the object that they are about.
package counts

import (
	"maps"
	"strings"
	"time"

	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// maxManagers is the number of field managers of one delivery with counts of their own.
	maxManagers = 10
	// otherManager counts all further managers; unknownManager counts drift without a manager's name.
	otherManager, unknownManager = "other", "unknown"
	// maxManagerName is the longest name of a manager in a label, in bytes: the API server allows 128.
	maxManagerName = 64
)

// Delivery counts the attempts of one delivery and the drift that they repaired.
type Delivery struct {
	Succeeded int
	Failed    map[string]int // by reason
	Drift     map[string]int // by field manager
	// LastReady is the time at which the delivery stopped being Ready; zero while it is Ready, and before it ever was.
	LastReady time.Time
}

// Clone returns a copy that shares no map with d.
func (d Delivery) Clone() Delivery {
	d.Failed, d.Drift = maps.Clone(d.Failed), maps.Clone(d.Drift)
	return d
}

// Add counts one attempt. reason is why it failed, empty if it succeeded.
func (d *Delivery) Add(reason string, drift []live.Drift) {
	if reason == "" {
		d.Succeeded++
	} else {
		d.Failed = increment(d.Failed, reason)
	}
	for _, x := range drift {
		d.Drift = increment(d.Drift, d.manager(x.Manager))
	}
}

func increment(counts map[string]int, key string) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	counts[key]++
	return counts
}

// manager returns the label of a field manager. Clients choose their names freely, so that length and number are bounded.
func (d *Delivery) manager(name string) string {
	name = strings.ToValidUTF8(name[:min(len(name), maxManagerName)], "")
	switch _, known := d.Drift[name]; {
	case name == "":
		return unknownManager
	case !known && len(d.Drift) >= maxManagers:
		return otherManager
	}
	return name
}
