package place

import (
	"fmt"

	"github.com/accord-dev/accord/clusters/fleet"
)

// apart refuses a cluster with another object of the group (Karmada §4.2, WorkloadAntiAffinity). Existing objects stay.
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
