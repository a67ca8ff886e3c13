// Package failover decides which objects leave which clusters. It is a function without a clock: Decide takes the health and the
// taints of the clusters, the placement and the health of the objects, the earlier eviction tasks and the time. It returns the next
// tasks, the reasons of evictions that are blocked or wait, and when to call Decide again.
//
// The states of an eviction task (v1alpha1.GracefulEvictionTask):
//
//	open       the plan gives the replicas of the cluster to others and chooses the cluster no more; the old copy stays (Gracefully,
//	           Never), or goes before the replacement is applied (Directly)
//	completed  the old copy was given up; the plan does not prefer the cluster until the cooldown is over
//	cancelled  the cause ended before a replacement was healthy; the object stays on the cluster, and the cooldown runs
//
// A task is dropped when the cooldown is over, the cause has ended and the cluster answers. An object has at most one task for each cluster, and a task is
// never opened again: so a cluster that flaps moves an object at most once in each cooldown.
//
// Everything that Decide remembers is in the tasks and in UnhealthySince: a restart at any moment changes no decision. docs/failover.md
// has the tables of all decisions, and a test holds them.
package failover
