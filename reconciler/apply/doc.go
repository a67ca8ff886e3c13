// Package apply delivers one Federation to one cluster: server-side apply, inventory, order, adoption, drift, pruning. It
// is the only code that writes workloads. Deliver compares the plan of the cluster (package propagate) with the observed
// objects (package clusters) and applies the difference. It sends no request if there is none.
//
// A member owns some fields of planned objects once it has set them, and users' scripts may retain more (retain.go). Only
// such objects are read before they are applied.
//
// The package never applies an object without accord's label unless the policy overwrites it, never deletes an object that
// is not owned or is held, and never takes an error for an empty list.
package apply
