// Package stage decides which clusters get a change now, cluster after cluster, according to a RolloutPolicy. It is a state
// machine without a clock: Decide takes the wanted versions, the reports of the clusters, the previous state and the time.
// It returns which clusters get the new version, why the others do not, the next state, and when to call Decide again.
// Simulate runs the same machine on simulated reports.
//
// The unit is one RolloutPolicy over one federation. All objects that the policy claims move together: the wanted objects of
// a cluster have one digest (Sum), so the work is per cluster and not per object. Every change of a rendered result counts:
// of a template, an override or a placement, and a removal.
//
// The states of a cluster with every version:
//
//	pending   its stage has not started, or maxConcurrency is reached: the cluster keeps its version and is not changed
//	updated   the cluster got the version and is in flight until it is healthy
//	healthy   the soak time runs, from when this version became healthy there
//	passed    the soak time is over and the other requirements of the gate are met
//	failing   it was not healthy in time; failureBudget.maxUnhealthy clusters may fail, more fail the rollout
//
// A stage completes when each of its clusters has passed or is tolerated by the failure budget, at least one has passed, it
// is approved, and a window is open. Only then does the next stage start.
package stage
