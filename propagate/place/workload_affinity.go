package place

import (
	"fmt"

	"github.com/accord-dev/accord/clusters/fleet"
)

// together refuses a cluster that lacks a placed object of the group (Karmada §4.2, WorkloadAffinity). The first object
// of a group may go anywhere, and existing objects stay.
func together(q Question, c fleet.Cluster) (why, field string) {
	if q.On[c.Name] {
		return "", ""
	}
	for _, peer := range q.Together {
		if peer.placed() && !peer.On[c.Name] {
			return fmt.Sprintf("does not have %s, which workloadAffinity keeps it together with", peer.Name), "workloadAffinity.affinity"
		}
	}
	return "", ""
}

// placed reports whether the peer is on any cluster.
func (p Peer) placed() bool {
	for _, on := range p.On {
		if on {
			return true
		}
	}
	return false
}
