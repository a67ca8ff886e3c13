package place

import (
	"fmt"

	"github.com/accord-dev/accord/clusters/fleet"
)

// spread refuses a cluster without the property that a spread constraint groups by (Karmada §4.2, SpreadConstraint).
func spread(q Question, c fleet.Cluster) (why, field string) {
	for i, s := range q.Placement.SpreadConstraints {
		if lacks(c, s.SpreadByField) {
			return fmt.Sprintf("has no %s, which the spread constraint by %[1]s needs", s.SpreadByField),
				fmt.Sprintf("spreadConstraints[%d].spreadByField", i)
		}
	}
	return "", ""
}

// lacks reports whether the cluster is in no group of that kind; by cluster, each cluster is a group.
func lacks(c fleet.Cluster, field string) bool {
	switch field {
	case "provider":
		return c.Provider == ""
	case "region":
		return c.Region == ""
	case "zone":
		return len(c.Zones) == 0
	}
	return false
}
