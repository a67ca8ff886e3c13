// Package replica shares the clusters among several replicas. One replica leads: it alone plans and reports. It assigns a
// cluster by its Delivery; the replica that owns the cluster (package lease) makes the same plan of the same commit,
// compares its digest with the assigned one, and executes it. It reports by the DeliveryReport beside the Delivery, from
// which the leader computes status as if it had observed the cluster itself.
package replica
