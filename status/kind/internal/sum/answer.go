// Package sum adds up the statuses of one object on several clusters.
package sum

// Answer is the status of the live object of one cluster.
type Answer struct {
	Cluster string
	// Current reports that the live object is the wanted one, and that its controller has observed it. Only then do its
	// "updated" counters refer to the wanted object.
	Current bool
	// Status is the result of Reflect; nil if nothing is known.
	Status map[string]any
}
