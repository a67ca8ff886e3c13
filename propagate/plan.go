// Package propagate decides everything and touches nothing: from objects, policies and the fleet it
// makes the plan of what every cluster should run, and the reasons for it.
package propagate

import (
	"crypto/sha256"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/render/override"
	"github.com/accord-dev/accord/status/interpret"
)

// Input is all that a decision depends on. The same Input always gives the same Plan; it can be written
// to one text file and read back (Dump, Load).
type Input struct {
	// Federation is "<namespace>/<name>" of the Federation; it marks what is ours on the members.
	Federation string
	Revision   string
	Objects    []render.Object
	Policies   []policy.Policy
	Overrides  []policy.Override
	Fleet      []fleet.Cluster
	// TaintPolicies taint clusters by their conditions (Karmada §1.7), Rebalancers ask for a fresh division (Karmada §4.11).
	TaintPolicies []policy.TaintPolicy
	Rebalancers   []policy.Rebalancer
	// Rollouts say in which order clusters get a change (propagate/stage). They do not change what is wanted.
	Rollouts []policy.Rollout
	// Customizations and Health are what users know about kinds (Karmada §7.1, and Flux's healthCheckExprs).
	Customizations []policy.Customization
	Health         []interpret.HealthExprs
	// Skip is what the Federation never propagates, beside the defaults (Karmada §8.2).
	Skip Skip
	// Now is the time: a hold of a cluster may end by itself. At the zero time none has.
	Now time.Time
	// Previous is what was decided the last time, in any order; see Plan.Previous. Without it every object is new.
	Previous []Previous
}

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
	// Kept says that the clusters are those of the last time, because a new choice could not be made.
	Kept bool
	// Lazy says that the policy was changed and waits for the manifest to change (Karmada §2.7).
	Lazy bool
	// Passed are the terms of clusterAffinities that were tried in vain, in order.
	Passed []Passed
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

// Passed is one term of clusterAffinities that did not work.
type Passed struct {
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

// Finding is something a person should know about the input: a field that is not acted on, a policy that matches nothing.
type Finding struct {
	At       manifest.Origin
	Severity Severity
	Code     string // stable, kebab-case: "not-acted-on", "matches-nothing"
	Message  string // one sentence
	Fix      string // what to write instead; empty when there is nothing to do
}

// Severity of a finding.
type Severity string

const (
	Error   Severity = "error"   // it does not do what it says; merging it would be a mistake
	Warning Severity = "warning" // it probably does not do what was meant
	Note    Severity = "note"    // worth knowing
)

// Target is all that one cluster should have.
type Target struct {
	Cluster string
	// Objects in the order in which they are applied: namespaces and CRDs first, workloads last.
	Objects []Placed
	// Failed are objects that could not be rendered for this cluster. What runs there stays as it is.
	Failed []Failure
}

// Placed is one finished object for one cluster.
type Placed struct {
	*Rendered
	// Held is why hands are off here (see Choice); empty when it is to be applied.
	Held string
	// Overwrite takes over an object that exists and is not ours (conflictResolution, Karmada §3.7).
	Overwrite bool
	// Implied marks a Namespace that no policy asks for on this cluster, there because an object needs it.
	Implied bool
}

// Rendered is a finished object. Clusters for which the result is identical share one.
type Rendered struct {
	ID  manifest.ID
	GVK schema.GroupVersionKind
	// Digest identifies the content (render.Digest of the object before the digest annotation and inventory label were added).
	Digest string
	// JSON is the complete body of a server-side apply: the object with digest annotation and inventory label.
	JSON []byte
	// Origin is where the template stands in Git.
	Origin manifest.Origin
	// Edits are the overrides that made it, in order.
	Edits []override.Edit
	// Yields are the paths of fields that belong to the member as soon as somebody there has set them, "spec.replicas".
	Yields []string

	sum [sha256.Size]byte // of JSON
}

// Failure is one object that could not be rendered for one cluster.
type Failure struct {
	ID     manifest.ID
	Origin manifest.Origin
	Held   string
	Err    error
}
