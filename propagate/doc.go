// Package propagate decides which objects every cluster should have: objects, policies and the fleet in, a Plan with the
// reason of every decision out. It does no I/O. New runs these steps, each in a file of its name:
//
//	members            applies ClusterTaintPolicies (taint), finds the clusters on hold (member)
//	rules              parses everything that applies to every object (exclude, claim, render/override, status/interpret)
//	normalize          sets namespaces (scope), sorts the objects, rejects duplicates
//	claim              finds the policy of each object, or why accord does not propagate it (choose.go)
//	choose             filters clusters, applies spread constraints (place), divides replicas (divide), follows evictions (eviction)
//	attach             sends dependencies along with the objects that need them
//	implyNamespaces    places namespaces on the clusters of their objects
//	assign             gives every cluster its objects in apply order (item.go, applyorder)
//	render             applies overrides and marks, on demand: ForCluster, ForObject
//
// Package staged then decides how much of the plan a cluster gets while a rollout is in progress.
package propagate
