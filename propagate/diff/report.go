// Package diff compares two plans: which objects change on which cluster, and the effects of the changes. It is a
// function of the two plans, asks no cluster and makes no decision.
//
// Every effect has a file; Effects lists them all. A report contains no value of a Secret, and no value that a manifest
// marks as sensitive.
package diff

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/diff/hunk"
)

// Report is the comparison that a reviewer reads, and the output of "accord plan -o json". Fields are added to it and
// never renamed. All lists are sorted: equal plans give equal reports, whatever the order of their input.
type Report struct {
	// Before is empty without a previous plan.
	Before Version `json:"before"`
	After  Version `json:"after"`
	Totals Totals  `json:"totals"`
	// Policies counts the policies of any kind that differ, including those on one side only.
	Policies int `json:"policies"`
	// Controls are the differences between the manifests that decide and are no objects, sorted by kind and name. The digest of
	// the plan covers them.
	Controls []ControlChange `json:"controls,omitempty"`
	// Clusters are those with a change, sorted by name.
	Clusters []Cluster `json:"clusters"`
	// Unchanged is the number of other clusters in the fleet.
	Unchanged int `json:"unchanged"`
	// Changes are distinct, those with the most places first.
	Changes []Change `json:"changes"`
	// Effects are sorted by severity, errors first, then in the order of Effects.
	Effects []Effect `json:"effects"`
	// Findings are the lint findings that are new or in a changed manifest, sorted by place.
	Findings []Finding `json:"findings"`
}

// Version identifies one of the two plans.
type Version struct {
	Revision string `json:"revision,omitempty"`
	// Digest is Plan.Digest, which the Release also shows.
	Digest string `json:"digest,omitempty"`
}

// Totals are sums over all clusters.
type Totals struct {
	// Objects and Clusters are those with at least one change.
	Objects  int `json:"objects"`
	Clusters int `json:"clusters"`
	// Fleet is the number of clusters, including those that leave the fleet.
	Fleet int `json:"fleet"`
	Counts
}

// Counts count pairs of object and cluster. Each changed pair is in one count; Recreated is also part of Changed.
// RestartedPods counts pods.
type Counts struct {
	Created int `json:"created"`
	Changed int `json:"changed"`
	// Recreated are changes of immutable fields. Accord recreates the object only if Git allows it: see the effect
	// recreates.
	Recreated int `json:"recreated"`
	Deleted   int `json:"deleted"`
	// Kept are objects that are no longer placed on a cluster and stay there.
	Kept int `json:"kept"`
	// Held are objects that would change and are held.
	Held int `json:"held"`
	// Failed are objects that can no longer be rendered. The clusters keep the applied version.
	Failed int `json:"failed"`
	// RestartedPods are the pods that a changed pod template replaces, as far as Git determines their number.
	RestartedPods int `json:"restartedPods"`
}

// Cluster counts the changes on one cluster.
type Cluster struct {
	Name string `json:"name"`
	// Joins and Leaves report that the cluster joins or leaves the fleet.
	Joins  bool `json:"joins,omitempty"`
	Leaves bool `json:"leaves,omitempty"`
	Counts
}

// Change is one distinct change: objects of one kind that change alike. They differ only in their names and clusters.
type Change struct {
	Objects []Object `json:"objects"`
	// Variants are sorted by size: "the same in 28 clusters; eu-7 differs". There is at least one.
	Variants []Variant `json:"variants"`
}

// ControlChange is one manifest that decides and is no object: a declared Cluster, a ResourceInterpreterCustomization, a
// HealthCheckExpr of the Federation, a RolloutPolicy, a ClusterTaintPolicy, or the suspension of a propagation policy.
type ControlChange struct {
	Kind string `json:"kind"`
	// Name is "shop/web", "standard" without a namespace, "apps/v1 Deployment" for a HealthCheckExpr, "PropagationPolicy shop/web"
	// for a Suspension.
	Name string `json:"name"`
	// Action is create, change or delete.
	Action Action          `json:"action"`
	At     manifest.Origin `json:"at,omitzero"`
	// Hunks are the fields that differ, sorted by path.
	Hunks []Hunk `json:"hunks,omitempty"`
}

// Object is one object and the place of its manifest, on the side after if it is there.
type Object struct {
	manifest.ID
	At manifest.Origin `json:"at,omitzero"`
}

// Variant is the same outcome for objects on several clusters.
type Variant struct {
	Action Action `json:"action"`
	// Message gives the reason if the objects are held, stay or cannot be rendered. It also marks objects that change
	// because such a reason ended. Otherwise it is empty.
	Message string `json:"message,omitempty"`
	// Hunks are the fields that differ, sorted by path. Created, deleted and kept objects have none.
	Hunks    []Hunk   `json:"hunks,omitempty"`
	Clusters []string `json:"clusters"`
	// Objects are the objects of the change with this outcome; absent if all have it.
	Objects []manifest.ID `json:"objects,omitempty"`
	// Places is the number of pairs of object and cluster. It is below objects times clusters if some objects are not
	// on all the clusters.
	Places int `json:"places"`
	// Restarts reports that pods are replaced. RestartedPods is their number in all places, as far as Git determines
	// it.
	Restarts      bool `json:"restarts,omitempty"`
	RestartedPods int  `json:"restartedPods,omitempty"`
	// Immutable are the fields that make the action Recreate.
	Immutable []string `json:"immutable,omitempty"`
}

// Hunk is one value that differs. It has the fields of hunk.Hunk.
type Hunk struct {
	Path string  `json:"path"`
	Op   hunk.Op `json:"op"`
	// Before and After are YAML without a trailing newline; empty if there is no such value.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Text is the unified diff of a string of several lines. It replaces Before and After.
	Text string `json:"text,omitempty"`
	// Secret reports that the value is hidden. A fingerprint may stand in its place.
	Secret bool `json:"secret,omitempty"`
}

// Action is the kind of change of an object on a cluster.
type Action string

const (
	Create   Action = "create"
	Modify   Action = "change"
	Recreate Action = "recreate" // an immutable field changes: the cluster rejects it, or accord recreates the object
	Delete   Action = "delete"
	Keep     Action = "keep" // no longer placed there, but not deleted
	Hold     Action = "hold" // would change, but is held
	Fail     Action = "fail" // can no longer be rendered; the applied version stays
)

// Effect is a consequence of changes.
type Effect struct {
	// Code is stable and in kebab-case; tools may refer to it.
	Code     string             `json:"code"`
	Severity propagate.Severity `json:"severity"`
	// Message is one sentence with counts.
	Message string `json:"message"`
	// Objects and Clusters are sorted; both may be empty.
	Objects  []manifest.ID `json:"objects,omitempty"`
	Clusters []string      `json:"clusters,omitempty"`
	// Values are sorted by object and cluster.
	Values []Value `json:"values,omitempty"`
	// At is the place that causes the effect: the field of the policy, or the manifest.
	At manifest.Origin `json:"at,omitzero"`
}

// Value is a value that an effect changes.
type Value struct {
	Object  manifest.ID `json:"object,omitzero"`
	Cluster string      `json:"cluster,omitempty"`
	Before  string      `json:"before,omitempty"`
	After   string      `json:"after,omitempty"`
}

// Finding is a lint finding.
type Finding struct {
	Severity propagate.Severity `json:"severity"`
	Code     string             `json:"code"`
	manifest.Origin
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	// New reports that the finding was not there before, on any line.
	New bool `json:"new"`
}

// Reason is one reason to reject the change.
type Reason struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	At      manifest.Origin `json:"at,omitzero"`
}

// Empty reports whether no object changes on any cluster. There may still be changes of control manifests, effects and findings, for example an object
// that moves to another policy, or a mistake in a policy that selects nothing.
func (r *Report) Empty() bool { return len(r.Changes) == 0 }

// Blocking returns the reasons for a failing exit code: effects of severity Error (fails-to-render,
// immutable-field, prune-blocked, hold-ends) and new findings of severity Error. It omits a finding that repeats an effect.
func (r *Report) Blocking() []Reason {
	var reasons []Reason
	for _, e := range r.Effects {
		if e.Severity == propagate.Error {
			reasons = append(reasons, Reason{e.Code, e.Message, e.At})
		}
	}
	for _, f := range r.Findings {
		repeated := slices.ContainsFunc(reasons, func(reason Reason) bool { return reason.At == f.Origin && f.Code == "cannot-render" })
		if check.Blocks(f.Severity, f.New) && !repeated {
			reasons = append(reasons, Reason{f.Code, f.Message, f.Origin})
		}
	}
	return reasons
}
