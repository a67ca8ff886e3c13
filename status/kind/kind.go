// Package kind is all that is known about single Kubernetes kinds: how they count replicas, how healthy they are,
// and how the statuses of several clusters add up. One file a kind; the table below is where a reader learns what exists.
package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Kind says what is known about one Kubernetes kind. Every func may be nil: the zero Kind is applied as it is,
// is healthy by the generic rule, and its status is not added up.
type Kind struct {
	// Replicas is the number of replicas of the template; ok is false for objects without a count (Karmada §6.2).
	Replicas func(*unstructured.Unstructured) (n int32, ok bool)
	// SetReplicas sets it, only where the field is present (Karmada §6.2 ReviseReplica).
	SetReplicas func(*unstructured.Unstructured, int32)
	// Health of a live object and a sentence about it.
	Health func(*unstructured.Unstructured) (Health, string)
	// Reflect picks from a live object what Aggregate needs, and no more: it is kept for every object and cluster.
	Reflect func(*unstructured.Unstructured) map[string]any
	// Aggregate adds up what Reflect picked, in the shape of the kind's own status. Pure, idempotent, order-free.
	Aggregate func([]Answer) map[string]any
}

// Answer is what one cluster's live object says.
type Answer struct {
	Cluster string
	Status  map[string]any // what Reflect picked
}

// Health of one live object.
type Health string

const (
	Healthy     Health = "Healthy"
	Progressing Health = "Progressing" // not yet, and it can still get there by itself
	Failed      Health = "Failed"      // its own controller gave up, or it says so
	Unknown     Health = "Unknown"     // cannot be told; never counted as healthy
)
