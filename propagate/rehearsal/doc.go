// Package rehearsal plays the failure of clusters over the plan of a Federation, without a cluster and without a clock. It calls
// failover.Decide and makes the plans as the controllers do. Play returns the timeline of a scenario, Survey counts the workloads of one
// cluster that have another place.
package rehearsal
