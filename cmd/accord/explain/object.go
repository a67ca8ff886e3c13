// Package explain reports why an object goes to a cluster or does not, and which objects a cluster gets.
package explain

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/decision"
)

// ObjectReport explains one object. Places are "<path>:<line>" in the tree.
type ObjectReport struct {
	Verdict  string    `json:"verdict"`
	Object   Reference `json:"object"`
	At       string    `json:"at"`
	Revision string    `json:"revision"`
	// Policy claims the object; nil if none does, and then Why has the reason.
	Policy *MatchingPolicy `json:"policy,omitempty"`
	// Others select the object, too, but do not claim it.
	Others []MatchingPolicy `json:"otherPolicies,omitempty"`
	// Why is the reason why the object goes nowhere, or keeps its previous placement.
	Why string `json:"why,omitempty"`
	// Notes are other facts about the decision.
	Notes    []string   `json:"notes,omitempty"`
	Clusters []Decision `json:"clusters"`
	// Evictions of the object, by cluster.
	Evictions []Eviction `json:"evictions,omitempty"`
	// Sends are the dependencies of the object.
	Sends []Dependency `json:"dependencies,omitempty"`
	Live  *LiveObject  `json:"live,omitempty"`

	id    manifest.ID
	fleet int
	only  string
}

// DocumentKind implements text.Document.
func (*ObjectReport) DocumentKind() string { return "ObjectExplanation" }

// Reference identifies the object.
type Reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// MatchingPolicy is a policy that selects the object.
type MatchingPolicy struct {
	Policy string `json:"policy"`
	At     string `json:"at"`
	Why    string `json:"why"`
}

// Dependency is an object that goes along as a dependency.
type Dependency struct {
	Object   string   `json:"object"`
	Clusters []string `json:"clusters"`
}

// Object explains one object, on every cluster or on one only.
func Object(p *load.PlannedTree, live *load.LiveHub, id manifest.ID, only string) *ObjectReport {
	d, u := p.Decision(id), p.Manifest(id).Get()
	r := &ObjectReport{
		Object: Reference{d.GVK.GroupVersion().String(), id.Kind, id.Namespace, id.Name},
		At:     d.Origin.String(), Revision: p.Input.Revision, Why: d.Why, Notes: notes(d, p.Dependents(id)), Clusters: []Decision{},
		id: id, fleet: len(p.Clusters()), only: only,
	}
	if note := failoverNote(d, p.Input.Failover); note != "" {
		r.Notes = append(r.Notes, note)
	}
	r.Notes = append(r.Notes, rebalanceNotes(d, p.Input)...)
	r.Notes = append(r.Notes, tolerationNotes(d, p.Failover)...)
	r.Evictions = evictions(d, live, only)
	r.policies(d, p.PoliciesSelecting(id), u)
	shares := p.Shares(id)
	for _, c := range d.Chosen {
		if only == "" || only == c.Cluster {
			r.Clusters = append(r.Clusters, chosenCluster(p, d, c, shares[c.Cluster]))
		}
	}
	for _, refusal := range d.Refused {
		if only == "" || only == refusal.Cluster {
			r.Clusters = append(r.Clusters, refusedCluster(p, d, refusal))
		}
	}
	if len(d.Chosen) > 0 {
		r.Sends = dependencies(p, id, only)
	}
	switch {
	case r.fleet > 0:
	case live.FactsErr() != nil: // which the live state has
		r.Notes = append(r.Notes, "no Cluster is known, because accord did not read the hub")
	default:
		r.Notes = append(r.Notes, load.NoClusters)
	}
	for _, x := range p.Refusals(p.Plan, false) {
		if x.At == d.Origin || x.At == (manifest.Origin{}) {
			r.Notes = append(r.Notes, "nothing of this revision is delivered: "+x.Message+": "+x.Fix)
		}
	}
	r.Verdict = r.verdict()
	r.Live = newLiveObject(live, p, id, only)
	return r
}

// policies sets the policy that claims the object and those that do not, each with the reason.
func (r *ObjectReport) policies(d *decision.Decision, selecting []*policy.Policy, u *unstructured.Unstructured) {
	for _, c := range selecting {
		entry := MatchingPolicy{Policy: c.Title(), At: c.Origin.String()}
		switch {
		case c == d.Policy:
			entry.Why = "selects it " + exactness(c, u)
			if c.Spec.Priority != nil {
				entry.Why += fmt.Sprintf(", priority %d", *c.Spec.Priority)
			}
			r.Policy = &entry
			continue
		case d.Policy == nil:
			entry.Why = "selects it, but it is never propagated"
		default:
			entry.Why = reasonLost(c, d.Policy, u)
		}
		r.Others = append(r.Others, entry)
	}
}

// reasonLost returns the reason why c does not claim an object that winner claims (Karmada §2.2).
func reasonLost(c, winner *policy.Policy, u *unstructured.Unstructured) string {
	switch own, theirs := priority(c), priority(winner); {
	case c.ClusterWide() && !winner.ClusterWide():
		return "a policy in the object's namespace comes before every cluster-wide one"
	case own != theirs:
		return fmt.Sprintf("priority %d is less than %d", own, theirs)
	case exactness(c, u) != exactness(winner, u):
		return fmt.Sprintf("selects it %s, which is less exact than %s", exactness(c, u), exactness(winner, u))
	}
	return fmt.Sprintf("as good a match, and of names the smaller one wins: %s before %s", winner.Name, c.Name)
}

func priority(c *policy.Policy) int32 {
	if c.Spec.Priority == nil {
		return 0
	}
	return *c.Spec.Priority
}

// exactness returns how the best selector of a policy matches the object.
func exactness(c *policy.Policy, u *unstructured.Unstructured) string {
	match := policy.NoMatch
	for _, s := range c.Spec.ResourceSelectors {
		match = max(match, s.Match(u))
	}
	switch match {
	case policy.MatchName:
		return "by name"
	case policy.MatchLabel:
		return "by labels"
	}
	return "by kind"
}

// notes returns facts about a decision, one sentence each.
func notes(d *decision.Decision, owners []manifest.ID) []string {
	var all []string
	for _, t := range d.FailedTerms {
		all = append(all, fmt.Sprintf("affinity %q did not work: %s", t.Term, t.Why))
	}
	if d.ScopeUnknown && d.Policy != nil {
		all = append(all, d.ScopeDoubt())
	}
	if d.Term != "" {
		all = append(all, fmt.Sprintf("affinity %q is in use", d.Term))
	}
	if d.Policy != nil {
		for _, s := range d.Policy.Spec.Placement.SpreadConstraints {
			if (s.SpreadByField == "zone" || s.SpreadByField == "provider") && (s.MinGroups > 1 || s.MaxGroups > 0) {
				all = append(all, fmt.Sprintf("minGroups and maxGroups by %s have no effect: the constraint only excludes clusters without a %[1]s", s.SpreadByField))
			}
		}
	}
	if d.Descheduled.Moves != "" {
		all = append(all, "the descheduler moved replicas: "+d.Descheduled.Moves)
	}
	for _, x := range d.Descheduled.From {
		all = append(all, fmt.Sprintf("cluster %s could not schedule more than %s, and gets no more until more of its resources are free", x.Cluster, phrase.Count(int(x.Running), "replica")))
	}
	if len(owners) > 0 {
		all = append(all, "goes along with "+phrase.List(text.Names(owners), 3))
	}
	if d.Dependencies {
		all = append(all, "what it refers to goes along (propagateDeps)")
	}
	if d.Overwrite {
		all = append(all, "takes over an object of its name that exists (conflictResolution Overwrite)")
	}
	if d.Preserve {
		all = append(all, "stays on clusters where it is no longer wanted (preserveResourcesOnDeletion)")
	}
	return all
}

// dependencies returns the dependencies of the object, with the clusters to which each goes because of this object.
func dependencies(p *load.PlannedTree, id manifest.ID, only string) []Dependency {
	var all []Dependency
	for _, d := range p.Decisions {
		if !slices.Contains(p.Dependents(d.ID), id) {
			continue
		}
		sent, there := Dependency{Object: d.ID.String(), Clusters: []string{}}, only == ""
		for _, c := range d.Chosen {
			if only != "" && only != c.Cluster {
				continue
			}
			there = true
			if c.RequiredBy != nil && *c.RequiredBy == id {
				sent.Clusters = append(sent.Clusters, c.Cluster)
			}
		}
		if there {
			all = append(all, sent)
		}
	}
	return all
}
