// Package propagate decides which objects every cluster should have: objects, policies and the fleet in, a Plan with the
// reason of every decision out. It does no I/O. New runs these steps, each in a file of its name:
//
//	normalize          sets namespaces, sorts the objects, rejects duplicates
//	claim              finds the policy of each object, or why accord does not propagate it
//	choose             filters clusters, applies spread constraints (place), divides replicas (divide)
//	attach             sends dependencies along with the objects that need them
//	implyNamespaces    places namespaces on the clusters of their objects
//	assign             gives every cluster its objects in apply order (plan.go)
//	render             applies overrides and marks, on demand: ForCluster, ForObject (overrides.go, render.go)
package propagate
