package place

import "github.com/accord-dev/accord/api/policy"

// IgnoresPrevious reports whether a placement chooses the same clusters for a new object and for one that is on these clusters: all
// clusters that pass the filters, which pass again. Terms, constraints, groups and division depend on the previous clusters.
func IgnoresPrevious(p policy.Placement) bool {
	return len(p.ClusterAffinities)+len(p.SpreadConstraints) == 0 && p.WorkloadAffinity == nil &&
		(p.ReplicaScheduling == nil || p.ReplicaScheduling.ReplicaSchedulingType != policy.Divided)
}
