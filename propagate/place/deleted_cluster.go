package place

import "github.com/accord-dev/accord/clusters/fleet"

// leaving refuses a Cluster that is being deleted, even if it has the object (Karmada §4.2).
func leaving(_ Question, c fleet.Cluster) (why, field string) {
	if c.Leaving {
		return "is being deleted", ""
	}
	return "", ""
}
