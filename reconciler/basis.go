package reconciler

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// basis identifies everything that a plan is made from. The same basis needs no second look.
type basis struct {
	revision   string
	trees      string
	generation int64  // of the Federation
	sight      sight  // what the plan in force can see of the clusters
	fleet      string // digest of what it sees, but for their room
	room       string // digest of that, if it matters
	allowPrune bool
	held       string // digest of the clusters that people hold
}

// basisOf a checkout and the clusters of the hub, as far as sight goes.
func basisOf(fed *v1alpha1.Federation, c checkout, members []v1alpha1.Cluster, s sight) basis {
	b := basis{revision: c.revision(), trees: c.trees(), generation: fed.Generation, sight: s, allowPrune: c.allowsPrune()}
	b.fleet, b.room = s.digests(members)
	b.held = heldAt(members, time.Now())
	return b
}

// rests says that nothing changed since b that needs a new plan now. Room moves all the time: it is looked at again when
// anything else changed, and otherwise once an interval of the Federation.
func (b basis) rests(next basis, age, interval time.Duration) bool {
	if age < interval {
		next.room = b.room
	}
	return b == next
}
