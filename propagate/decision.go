package propagate

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/place"
)

// Decision is the planner's decision about one object, with its reasons.
type Decision struct {
	ID manifest.ID
	// GVK is the kind in the version of the manifest.
	GVK    schema.GroupVersionKind
	Origin manifest.Origin
	// ScopeUnknown means that the manifest names no namespace and that nothing tells whether the kind has one: no
	// CustomResourceDefinition in Git and no cluster. Only a cluster-wide policy can claim the object then.
	ScopeUnknown bool
	// Policy is the propagation policy that claimed the object; nil when none did, and then Why has the reason.
	Policy *policy.Policy
	// Chosen is sorted by cluster name.
	Chosen []Choice
	// Refused has every other cluster of the fleet with the rule that refused it, sorted by name.
	Refused []Refusal
	// Why is the reason why no cluster was chosen, or, with PlacementRetained, why no new choice was possible; empty
	// otherwise.
	Why string
	// PlacementRetained means that the clusters are those of the previous plan, because no new choice was possible.
	PlacementRetained bool
	// Lazy means that a changed policy takes effect only when the manifest changes (Karmada §2.7).
	Lazy bool
	// FailedTerms are the terms of clusterAffinities that yielded no choice, in the order in which they were tried.
	FailedTerms []FailedTerm
	// Term is the affinityName of the chosen term of clusterAffinities; empty without terms.
	Term string
	// Rebalanced names the WorkloadRebalancers that took effect on the object, joined by commas; empty when none did.
	Rebalanced string
	// Template is the digest of the manifest in Git.
	Template string
	// Overwrite takes over an existing object of another owner (conflictResolution, Karmada §3.7), Preserve keeps the
	// object on a cluster that should no longer have it, Dependencies sends the objects it refers to along (Karmada
	// §6.7).
	Overwrite, Preserve, Dependencies bool
}

// Unplaced reports whether a policy claims the object and no choice was possible; Why has the reason. Live objects are
// kept.
func (d *Decision) Unplaced() bool { return d.Policy != nil && d.Why != "" && !d.Lazy }

// FailedTerm is one term of clusterAffinities that yielded no choice.
type FailedTerm struct {
	Term string
	Why  string
	At   manifest.Origin // the field that caused it
}

// Choice is one cluster chosen for an object.
type Choice struct {
	Cluster string
	// Replicas is nil for objects without a replica count.
	Replicas *int32
	// Completions is the cluster's share of the completions of a divided Job (Karmada §4.9); nil for everything else.
	Completions *int32
	// Held is the reason why this cluster deliberately does not get the object now; empty when it does.
	Held string
	// Implied marks a Namespace that goes here only because an object in it does.
	Implied bool
	// RequiredBy is the object that needs this one here as a dependency; nil when its own policy chose the cluster.
	RequiredBy *manifest.ID
}

// Refusal is one cluster that was not chosen.
type Refusal struct {
	Cluster string
	Why     string          // a sentence a user can act on
	At      manifest.Origin // the field that refused it
	Reason  place.Reason    // the rule that refused it; NoReason if the refusal is not about the cluster
}
