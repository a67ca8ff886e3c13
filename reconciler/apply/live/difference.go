package live

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// Difference has the objects in which a cluster differs from its plan. The observer of the cluster knows them; a delivery
// without it compares all objects.
type Difference struct {
	// Due are the planned objects that are not held and not there as planned (Objects.Matches), in the order of the plan.
	Due []propagate.Placed
	// Extra are the observed objects that the plan does not have (Objects.Except), in no order.
	Extra []manifest.ID
}

// Compare returns the difference between the observed objects and a plan.
func (l *Objects) Compare(plan propagate.ClusterPlan) *Difference {
	d := &Difference{}
	for _, p := range plan.Objects {
		if p.Held == "" && !l.Matches(p) {
			d.Due = append(d.Due, p)
		}
	}
	for id := range l.Except(plan) {
		d.Extra = append(d.Extra, id)
	}
	return d
}
