// Package reconciler is the loops: the only code that writes workloads to members and status to the hub.
//
// What is decided is decided elsewhere, by functions (render, propagate, status). Here is what happens when:
//
//	sync     a Federation's sources are fetched and compiled to a plan; the plan is put in force    (sync.go)
//	deliver  one cluster is given what the plan wants there, in a bulkhead of its own               (deliver.go, bulkhead.go)
//	observe  what the members' watches say becomes reports, drift and status                        (observe.go, reporter.go)
//	cluster  members are connected and probed                                                       (cluster.go)
//	share    of several replicas one leads, and each holds some of the clusters                     (share.go)
//
// The plan in force and what is known of the members live in memory (engine.go); everything that has to
// survive a restart is in Git, on the members, or in the store: the hub's API server, or memory when
// there is no hub (store). A restart lists the members and writes nothing that is already right.
package reconciler
