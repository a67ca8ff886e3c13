package propagate

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Decision is what was decided about one object and why.
type Decision struct {
	ID manifest.ID
	// GVK is the kind in the version the manifest is written in.
	GVK    schema.GroupVersionKind
	Origin manifest.Origin
	// Policy is the propagation policy that claimed the object; nil when none did, and then Why says so.
	Policy *policy.Policy
	// Chosen is sorted by cluster name.
	Chosen []Choice
	// Refused has every other cluster of the fleet with the rule that refused it, sorted by name.
	Refused []Refusal
	// Why says why no cluster was chosen, or, with Kept, why no new choice could be made; empty when one was.
	Why string
	// PlacementRetained says that the clusters are those of the last time, because a new choice could not be made.
	PlacementRetained bool
	// Lazy says that the policy was changed and waits for the manifest to change (Karmada §2.7).
	Lazy bool
	// FailedTerms are the terms of clusterAffinities that were tried in vain, in order.
	FailedTerms []FailedTerm
	// Term is the affinityName of clusterAffinities whose clusters were chosen; empty without them.
	Term string
	// Rebalanced names the WorkloadRebalancer that was obeyed last; empty when none was.
	Rebalanced string
	// Template is the digest of the manifest in Git.
	Template string
	// Overwrite takes over an object that exists on a cluster and is not ours (conflictResolution, Karmada §3.7), Preserve
	// keeps the object there when it is no longer wanted, Dependencies sends what it refers to along (Karmada §6.7).
	Overwrite, Preserve, Dependencies bool
}

// Unplaced says that a policy claims the object and no choice could be made; Why has the reason. What runs is kept.
func (d *Decision) Unplaced() bool { return d.Policy != nil && d.Why != "" && !d.Lazy }

// FailedTerm is one term of clusterAffinities that did not work.
type FailedTerm struct {
	Term string
	Why  string
	At   manifest.Origin // the field that was the reason
}

// Choice is one cluster that was chosen for an object.
type Choice struct {
	Cluster string
	// Replicas is nil for objects without a replica count.
	Replicas *int32
	// Completions is the cluster's part of the completions of a divided Job (Karmada §4.9); nil for everything else.
	Completions *int32
	// Held is why this cluster deliberately does not get the object now; empty when it does.
	Held string
	// Implied marks a Namespace that goes here only because an object in it does.
	Implied bool
	// RequiredBy is the object that it goes here for, as a dependency; nil when its own policy chose the cluster.
	RequiredBy *manifest.ID
}

// Refusal is one cluster that was not chosen.
type Refusal struct {
	Cluster string
	Why     string          // a sentence a user can act on
	At      manifest.Origin // the field that refused it
}
