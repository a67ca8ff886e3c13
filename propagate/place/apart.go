package place

import (
	"fmt"

	"github.com/accord-dev/accord/clusters/fleet"
)

// apart: the cluster has none of the other objects of the group (Karmada §4.2, WorkloadAntiAffinity). What is there
// already stays.
func apart(q Question, c fleet.Cluster) (why, field string) {
	if q.On[c.Name] {
		return "", ""
	}
	for _, peer := range q.Apart {
		if peer.On[c.Name] {
			return fmt.Sprintf("has %s, which workloadAffinity keeps it apart from", peer.Name), "workloadAffinity.antiAffinity"
		}
	}
	return "", ""
}
