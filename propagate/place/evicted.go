package place

import "github.com/accord-dev/accord/clusters/fleet"

// evicted refuses a cluster from which the object is evicted, even if it has the object (Karmada §4.2, ClusterEviction).
func evicted(q Question, c fleet.Cluster) (why, field string) { return q.Evicted[c.Name], "" }
