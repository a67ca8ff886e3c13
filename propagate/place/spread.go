package place

import (
	"fmt"

	"github.com/accord-dev/accord/clusters/fleet"
)

// spread: the cluster has the property that a spread constraint groups by (Karmada §4.2, SpreadConstraint).
func spread(q Question, c fleet.Cluster) (why, field string) {
	for i, s := range q.Placement.SpreadConstraints {
		has := map[string]bool{"provider": c.Provider != "", "region": c.Region != "", "zone": len(c.Zones) > 0}
		if set, groups := has[s.SpreadByField]; groups && !set {
			return fmt.Sprintf("has no %s, which the spread constraint by %[1]s needs", s.SpreadByField),
				fmt.Sprintf("spreadConstraints[%d].spreadByField", i)
		}
	}
	return "", ""
}
