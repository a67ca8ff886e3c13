// Package state holds the desired and the observed state of each Federation and each of its clusters.
//
// A Federation owns its lock: every exported method takes it, changes the state or returns a copy of it, and releases
// it. No method does I/O or reads a clock; the time is a parameter called now. A transition returns changes.Changes: the
// statuses to write, the deliveries to run and the events to emit. The caller hands them to package deliver or report.
//
// The Registry holds the Federations of the process. Lock order: Federation, Registry, reachability.Tracker.
//
//	phase.go activate.go pending.go     the life of a plan
//	persist.go record.go                the records that the hub needs before members change
//	delivery.go observe.go drift.go contention.go   one delivery, and the observations of the watches
//	status.go news.go                   the statuses and events that follow
//	rollout*.go                         staged rollouts
//	replica.go ingest.go                assignments and reports of replicas
//
// The packages below are the values that a Federation consists of; they have no lock.
package state
