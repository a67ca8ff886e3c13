// Package decision has the decision about one object: its policy, the clusters chosen and refused, and why.
package decision

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/place"
	"github.com/accord-dev/accord/propagate/previous"
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
	// Descheduled has the last move of unschedulable replicas, and the clusters that get none back.
	Descheduled previous.Descheduled
	// Moved means that this decision moves them.
	Moved bool
	// Evictions are the evictions of the object.
	Evictions eviction.Tasks
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

// On reports whether the object goes to a cluster.
func (d *Decision) On(cluster string) bool {
	_, there := slices.BinarySearchFunc(d.Chosen, cluster, func(c Choice, name string) int { return strings.Compare(c.Cluster, name) })
	return there
}

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
	// Labels are added to the object here: the state that an eviction preserved (Karmada 5.6). Nil without any.
	Labels map[string]string
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

// Unclaimed returns the reason for an object that no policy selects.
func (d *Decision) Unclaimed() string {
	switch {
	case d.ScopeUnknown:
		return fmt.Sprintf("no ClusterPropagationPolicy selects it, and %s may have a namespace or not: write metadata.namespace if it has one", d.ID.Kind)
	case d.ID.Namespace == "":
		return "no ClusterPropagationPolicy selects it"
	}
	return fmt.Sprintf("no PropagationPolicy in namespace %s and no ClusterPropagationPolicy selects it", d.ID.Namespace)
}

// ScopeDoubt explains ScopeUnknown: "Queue may have a namespace or not: ...".
func (d *Decision) ScopeDoubt() string {
	return fmt.Sprintf("%s may have a namespace or not: the manifest names none, no CustomResourceDefinition in Git defines the kind, and the clusters list no scope for it", d.ID.Kind)
}

// Inherit copies the delivery options of the policy.
func (d *Decision) Inherit(c *policy.Policy) {
	d.Overwrite = c.Spec.ConflictResolution == policy.Overwrite
	d.Preserve = c.Spec.PreserveResourcesOnDeletion != nil && *c.Spec.PreserveResourcesOnDeletion
	d.Dependencies = c.Spec.PropagateDeps
}

// RefuseAll refuses every cluster for one reason.
func (d *Decision) RefuseAll(fleet []fleet.Cluster, why string, at manifest.Origin) {
	d.Refused = make([]Refusal, len(fleet))
	for i, c := range fleet {
		d.Refused[i] = Refusal{Cluster: c.Name, Why: why, At: at}
	}
}

// RefuseRest returns the refusals of all clusters that were not chosen: each with its own reason, or with why.
func RefuseRest(fleet []fleet.Cluster, chosen []Choice, refused []Refusal, why string, at manifest.Origin, reason place.Reason) []Refusal {
	known := map[string]Refusal{}
	for _, r := range refused {
		known[r.Cluster] = r
	}
	on := map[string]bool{}
	for _, c := range chosen {
		on[c.Cluster] = true
	}
	var all []Refusal
	for _, c := range fleet {
		if r, has := known[c.Name]; has && !on[c.Name] {
			all = append(all, r)
		} else if !on[c.Name] {
			all = append(all, Refusal{c.Name, why, at, reason})
		}
	}
	return all
}

// NoFit returns the reason for an object that no cluster fits: the first few refusals.
func NoFit(refused []Refusal) string {
	if len(refused) == 0 {
		return "there is no cluster"
	}
	const shown = 3
	var reasons []string
	for _, r := range refused[:min(shown, len(refused))] {
		reasons = append(reasons, r.Cluster+" "+r.Why)
	}
	if more := len(refused) - shown; more > 0 {
		reasons = append(reasons, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(reasons, ", ")
}

// PlacesAs reports whether two decisions send an object to the same clusters in the same way.
func (d *Decision) PlacesAs(other *Decision) bool {
	return d.Overwrite == other.Overwrite && d.Preserve == other.Preserve && d.Dependencies == other.Dependencies &&
		slices.EqualFunc(d.Chosen, other.Chosen, func(a, b Choice) bool {
			return a.Cluster == b.Cluster && ptr.Equal(a.Replicas, b.Replicas) && ptr.Equal(a.Completions, b.Completions) &&
				(a.Held != "") == (b.Held != "")
		})
}

// OwnClusters returns the clusters that its own policy chose; nil for none.
func (d *Decision) OwnClusters() []previous.Cluster {
	own := make([]previous.Cluster, 0, len(d.Chosen))
	for _, c := range d.Chosen {
		if c.RequiredBy == nil && !c.Implied {
			held := c.Held != "" && c.Held != d.Evictions.HoldReason(c.Cluster)
			own = append(own, previous.Cluster{Name: c.Cluster, Replicas: c.Replicas, Completions: c.Completions, Held: held})
		}
	}
	if len(own) == 0 {
		return nil
	}
	return own
}

// KeepReason returns the reason of the object itself, without the objects that need it.
func (d *Decision) KeepReason(cluster string) string {
	if why := d.Policy.SuspensionOn(cluster); why != "" {
		return why
	}
	if d.Unplaced() && !d.PlacementRetained {
		return d.Why
	}
	if d.Policy == nil {
		return ""
	}
	return d.Evictions.KeepReason(cluster)
}

// EvictedFrom returns the refused clusters with the object from which evictions move it away.
func EvictedFrom(on map[string]bool, refused []Refusal) []string {
	var from []string
	for _, r := range refused {
		if r.Reason == place.Evicted && on[r.Cluster] {
			from = append(from, r.Cluster)
		}
	}
	return from
}

// PrepareReplacements holds the clusters that get the object only after an eviction has deleted the old copy, and passes the preserved
// state to a single replacement.
func (d *Decision) PrepareReplacements() {
	if len(d.Evictions) == 0 {
		return
	}
	for i := range d.Chosen {
		c := &d.Chosen[i]
		c.Held = phrase.Reasons(c.Held, d.Evictions.HoldReason(c.Cluster))
		if len(d.Chosen) == 1 {
			c.Labels = d.Evictions.PreservedLabels(c.Cluster)
		}
	}
}

// SameTargets reports whether two lists have the same clusters, with the same holds. Replicas do not count.
func SameTargets(a, b []Choice) bool {
	return slices.EqualFunc(a, b, func(x, y Choice) bool {
		return x.Cluster == y.Cluster && x.Held == y.Held && x.Implied == y.Implied && reflect.DeepEqual(x.RequiredBy, y.RequiredBy)
	})
}

// SameDelivery reports whether two decisions send the same object to the same clusters with equal digests.
func SameDelivery(a, b *Decision) bool {
	return a.Policy == b.Policy && a.GVK == b.GVK && a.Evictions.Equal(b.Evictions) && slices.EqualFunc(a.Chosen, b.Chosen, func(x, y Choice) bool {
		return reflect.DeepEqual(x, y)
	})
}

// Attach adds the clusters of the objects that need this one.
func (d *Decision) Attach(owners []*Decision) {
	d.Chosen, d.Refused = slices.Clone(d.Chosen), slices.Clone(d.Refused) // ownDecision keeps the originals
	at := map[string]int{}                                                // index into Chosen
	for i, c := range d.Chosen {
		at[c.Cluster] = i
	}
	for _, owner := range owners {
		for _, c := range owner.Chosen {
			if c.RequiredBy != nil {
				continue // the owner is a dependency here itself, and followReferences followed its references
			}
			i, there := at[c.Cluster]
			if !there {
				i = len(d.Chosen)
				at[c.Cluster] = i
				d.Chosen = append(d.Chosen, Choice{Cluster: c.Cluster, RequiredBy: &owner.ID})
			}
			if c.Held != "" && d.Chosen[i].Held == "" {
				d.Chosen[i].Held = fmt.Sprintf("%s needs it and is held: %s", owner.ID, c.Held)
			}
		}
		d.Overwrite, d.Preserve = d.Overwrite || owner.Overwrite, d.Preserve || owner.Preserve
	}
	slices.SortFunc(d.Chosen, func(a, b Choice) int { return strings.Compare(a.Cluster, b.Cluster) })
	d.Refused = slices.DeleteFunc(d.Refused, func(r Refusal) bool { _, on := at[r.Cluster]; return on })
	if d.Policy == nil && len(d.Chosen) > 0 {
		d.Why = ""
	}
}

// Refuse refuses a cluster for the reason of a filter, at its place: the field of the placement, the task of the eviction, or the
// manifest.
func (d *Decision) Refuse(cluster string, r *place.Refusal) Refusal {
	at := d.Origin
	switch {
	case r.Field != "":
		at = d.Policy.At("spec.placement." + r.Field)
	case r.Reason == place.Evicted:
		at = d.Evictions.At(cluster)
	}
	return Refusal{Cluster: cluster, Why: r.Why, At: at, Reason: r.Reason}
}

// AppendKey appends the part of the key of a rendered object that the choice determines: see propagate.Plan.
func (c Choice) AppendKey(b []byte) []byte {
	for _, n := range []*int32{c.Replicas, c.Completions} {
		if n != nil {
			b = strconv.AppendInt(b, int64(*n), 10)
		}
		b = append(b, '/')
	}
	if len(c.Labels) == 0 {
		return b
	}
	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		b = append(strconv.AppendQuote(append(b, key...), c.Labels[key]), '/')
	}
	return b
}

// TakesOver reports whether the object takes over an existing object of another owner: its annotation
// work.karmada.io/conflict-resolution decides, then the policy (Karmada §3.7).
func (d *Decision) TakesOver(annotation string) bool {
	switch annotation {
	case "overwrite":
		return true
	case "abort":
		return false
	}
	return d.Overwrite
}
