package place

import "github.com/accord-dev/accord/clusters/fleet"

// leaving: a Cluster that is being deleted takes nothing, not even what it has (Karmada §4.2).
func leaving(_ Question, c fleet.Cluster) (why, field string) {
	if c.Leaving {
		return "is being deleted", ""
	}
	return "", ""
}
