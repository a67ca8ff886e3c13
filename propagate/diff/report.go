// Package diff says what changes for every cluster when one plan takes the place of another: which objects become
// what where, and what that means. It is a function of two plans; nothing is asked of any cluster, and nothing decides.
//
// One file an effect; the table in Effects is where a reader learns what exists. No value of a Secret, and none that
// the report was told is sensitive, is ever part of it.
package diff

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff/hunk"
)

// Report is all that a reviewer is told. It is also what "accord plan -o json" prints: fields are added to it, and never
// renamed. Every list is sorted, and the same two plans always give the same report, whatever the order of their input.
type Report struct {
	// Before is empty where nothing was there.
	Before Version `json:"before"`
	After  Version `json:"after"`
	// Totals are over all clusters together.
	Totals Totals `json:"totals"`
	// Files are the manifests that differ, sorted by path, "apps//policies/web.yaml" with several sources. What only
	// moved is not among them.
	Files []string `json:"files"`
	// Policies is how many policies of any kind differ, those on one side only included.
	Policies int `json:"policies"`
	// Clusters in which something changes, sorted by name.
	Clusters []Cluster `json:"clusters"`
	// Unchanged is how many other clusters the fleet has.
	Unchanged int `json:"unchanged"`
	// Changes are distinct, the one in most places first.
	Changes []Change `json:"changes"`
	// Effects are what the changes mean, errors first, then in the order of the table of effects.
	Effects []Effect `json:"effects"`
	// Findings are those of lint that are new, or about a manifest that changed, sorted by place.
	Findings []Finding `json:"findings"`
}

// Version is one of the two plans.
type Version struct {
	Revision string `json:"revision,omitempty"`
	// Digest is Plan.Digest: the same one that the controller puts on the Release.
	Digest string `json:"digest,omitempty"`
}

// Totals are the sums over all clusters.
type Totals struct {
	// Objects that change in at least one cluster, and Clusters in which at least one does.
	Objects  int `json:"objects"`
	Clusters int `json:"clusters"`
	// Fleet is how many clusters there are, those that leave it included.
	Fleet int `json:"fleet"`
	Counts
}

// Counts are of pairs of object and cluster. Each pair that changes is in one of them; those in Recreated are in Changed,
// too. RestartedPods are of pods.
type Counts struct {
	Created int `json:"created"`
	Changed int `json:"changed"`
	// Recreated are changes that the API refuses unless the object is made anew. Accord makes them only where Git allows it: see the effect made-anew.
	Recreated int `json:"recreated"`
	Deleted   int `json:"deleted"`
	// Kept are objects that leave a cluster and stay on it.
	Kept int `json:"kept"`
	// Held are objects that would change, and do not because somebody holds them back.
	Held int `json:"held"`
	// Failed are objects that can no longer be rendered. What runs stays as it is.
	Failed int `json:"failed"`
	// RestartedPods are pods that a change of their template replaces, as far as their number is in Git.
	RestartedPods int `json:"restartedPods"`
}

// Cluster is one cluster in which something changes.
type Cluster struct {
	Name string `json:"name"`
	// Joins and Leaves say that the cluster is only in the fleet after, or only before.
	Joins  bool `json:"joins,omitempty"`
	Leaves bool `json:"leaves,omitempty"`
	Counts
}

// Change is one distinct change and everything that changes so: objects of one kind that differ in nothing but their
// names, and in the clusters they go to.
type Change struct {
	Objects []Object `json:"objects"`
	// Variants, the largest first: "the same in 28 clusters; eu-7 differs". There is always one.
	Variants []Variant `json:"variants"`
}

// Object is one object and where its manifest stands: after, or where there is none any more before.
type Object struct {
	manifest.ID
	At manifest.Origin `json:"at,omitzero"`
}

// Variant is what happens alike to objects in several clusters.
type Variant struct {
	Verb Verb `json:"verb"`
	// Why it is held, stays, or cannot be rendered; empty for the other verbs.
	Why string `json:"why,omitempty"`
	// Hunks are the fields that differ, sorted by path; none for what is created, deleted or left.
	Hunks []Hunk `json:"hunks,omitempty"`
	// Clusters are sorted.
	Clusters []string `json:"clusters"`
	// Objects are those of the change that this happens to; absent when it is all of them.
	Objects []manifest.ID `json:"objects,omitempty"`
	// Places is the number of pairs of object and cluster: fewer than objects times clusters when some objects are not in
	// each of the clusters.
	Places int `json:"places"`
	// Restarts says that pods are replaced, RestartedPods how many in all places, as far as their number is in Git.
	Restarts      bool `json:"restarts,omitempty"`
	RestartedPods int  `json:"restartedPods,omitempty"`
	// Immutable are the fields that make it a Recreate.
	Immutable []string `json:"immutable,omitempty"`
}

// Hunk is one value that differs; see hunk.Hunk, which has the same fields.
type Hunk struct {
	Path string  `json:"path"`
	Op   hunk.Op `json:"op"`
	// Before and After are YAML without a newline at the end; empty where there is no such value.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Text is the unified diff of a string of several lines, in the place of Before and After.
	Text string `json:"text,omitempty"`
	// Secret says that the value is not shown, and that a fingerprint may stand in its place.
	Secret bool `json:"secret,omitempty"`
}

// Verb is what happens to an object in a cluster.
type Verb string

const (
	Create   Verb = "create"
	Modify   Verb = "change"
	Recreate Verb = "recreate" // a field changes that the API does not let change: the cluster will refuse it, or it is made anew
	Delete   Verb = "delete"
	Leave    Verb = "leave" // no longer wanted there, and stays
	Hold     Verb = "hold"  // would change, and is held back
	Fail     Verb = "fail"  // can no longer be rendered; what runs stays as it is
)

// Effect is what changes mean, in one sentence.
type Effect struct {
	// Code is stable and in kebab-case; tools may refer to it.
	Code     string             `json:"code"`
	Severity propagate.Severity `json:"severity"`
	// Message is one sentence with its counts.
	Message string `json:"message"`
	// Objects and Clusters it is about, sorted; both may be empty.
	Objects  []manifest.ID `json:"objects,omitempty"`
	Clusters []string      `json:"clusters,omitempty"`
	// Values are what was and what will be, sorted by object and cluster.
	Values []Value `json:"values,omitempty"`
	// At is the place to look at: the field of the policy, or the manifest.
	At manifest.Origin `json:"at,omitzero"`
}

// Value is something that an effect moves.
type Value struct {
	Object  manifest.ID `json:"object,omitzero"`
	Cluster string      `json:"cluster,omitempty"`
	Before  string      `json:"before,omitempty"`
	After   string      `json:"after,omitempty"`
}

// Finding is one of lint.
type Finding struct {
	Severity propagate.Severity `json:"severity"`
	Code     string             `json:"code"`
	manifest.Origin
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	// New says that it was not there before, wherever it stood.
	New bool `json:"new"`
}

// Reason is one thing that makes merging a mistake.
type Reason struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	At      manifest.Origin `json:"at,omitzero"`
}

// Empty says that nothing changes for any cluster. Effects and findings may be there all the same: an object that moves
// to another policy, a mistake in a policy that selects nothing.
func (r *Report) Empty() bool { return len(r.Changes) == 0 }

// Blocking is what decides the exit code: effects that are errors (the prune brake, an object that can no longer be
// rendered, a field that cannot be changed), and new findings that are. What both say is there once.
func (r *Report) Blocking() []Reason {
	var reasons []Reason
	for _, e := range r.Effects {
		if e.Severity == propagate.Error {
			reasons = append(reasons, Reason{e.Code, e.Message, e.At})
		}
	}
	for _, f := range r.Findings {
		told := slices.ContainsFunc(reasons, func(reason Reason) bool { return reason.At == f.Origin && f.Code == "cannot-render" })
		if f.New && f.Severity == propagate.Error && !told {
			reasons = append(reasons, Reason{f.Code, f.Message, f.Origin})
		}
	}
	return reasons
}
