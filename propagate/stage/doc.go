// Package stage decides who gets a change now: cluster after cluster, as a RolloutPolicy says. It is a state machine
// without a clock: Decide takes what is wanted, what clusters say, what is remembered and the time, and returns who gets
// the new version, who keeps what and why, what to remember, and when to look again. Simulate plays the same machine on
// made-up reports.
//
// The unit is one RolloutPolicy over one federation. All objects that it claims move together: what is wanted of them on
// a cluster has one digest (Sum), so the work is per cluster and not per object. Any change of a rendered result is one:
// of a template, an override, a placement, and a removal.
//
// What a cluster goes through with every version:
//
//	waits     its stage has not its turn yet, or as many are changing as may: it keeps what it has, hands off
//	given     it gets the version; in flight until it is healthy on it
//	healthy   the soak clock runs, from when this version became healthy there
//	passed    it has been healthy long enough, and all that the gate asks of a cluster is true
//	failing   it was not in time; within failureBudget.maxUnhealthy it is passed over, beyond it the rollout fails
//
// A stage is left when each of its clusters has passed or may be passed over, at least one has passed, and the approval and
// a window are there. Only then does the next one begin.
package stage
