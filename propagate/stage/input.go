package stage

import (
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Input is everything that a decision about one rollout depends on.
type Input struct {
	Sequence Sequence
	// Revision is the wanted commit ("main@sha1:..."), from which a version can be rendered. Only digests decide whether
	// something changed.
	Revision string
	// Clusters on which an object of the rollout is wanted or still exists, in any order. The state of other clusters is
	// dropped.
	Clusters []Cluster
	// Commands of people, from the RolloutPolicy (policy.Rollout.Commands) and from the Release.
	Commands []policy.Command
	// Previous is State of the last Outcome, or the zero State. With the zero State the running version of a cluster is its
	// current version.
	Previous State
	Now      time.Time
}

// Cluster is the wanted and the reported state of one cluster.
type Cluster struct {
	Name string
	// Wanted is the Sum of the rendered objects of the plan for the cluster, with their dependencies. An object that cannot be
	// rendered counts with a digest of its error. Empty: no object is wanted there any more.
	Wanted string
	// Held is the reason why people hold the cluster or the objects there (a suspension, a hold); empty otherwise.
	Held string
	// Unreachable is the error of the connection to the cluster; empty when it is reachable.
	Unreachable string
	// Unobserved is set until this process has observed the cluster once. The cluster keeps its state and is not updated, and
	// its Report is ignored.
	Unobserved bool
	Report     Report
}

// Report is the observed state of the objects of a rollout on a cluster. It is about one version. A report about another
// version than the current one of the cluster is ignored.
type Report struct {
	// Digest is the Sum of the live objects with their live digests. Empty: there is no object.
	Digest string
	// Revision that was applied there last. It is read only if the cluster has no state.
	Revision string
	Health   Health
	// Since is the time at which Health got its value; zero when unknown, and then the time of the decision counts.
	Since time.Time
	// Message is about the object in the worst state: "Deployment shop/web: ImagePullBackOff".
	Message string
	// Answers to the questions of the gate; a missing answer is Unknown.
	Answers map[Question]Answer
}

// Health of all objects of a rollout on a cluster. The zero value is Unknown.
type Health string

const (
	Unknown     Health = ""
	Progressing Health = "Progressing"
	Healthy     Health = "Healthy"
	// Failed may recover; it counts after the deadline.
	Failed Health = "Failed"
	// Stalled cannot recover by waiting: an object cannot be rendered, or the cluster rejects it. It counts at once.
	Stalled Health = "Stalled"
)

// Question is a requirement of a gate on a cluster: "condition SmokeTestsPassed", "job shop/smoke", "cel". See Questions.
type Question string

// Answer of a cluster to a Question, about the version in the same Report.
type Answer struct {
	// State is Healthy for yes, Stalled for never, and any other value for not yet.
	State Health
	// Message is the reason if the answer is not yes.
	Message string
}

// Version is a rendered result on a cluster, and the revision in Git that it was rendered from.
type Version struct {
	Digest   string `json:"digest,omitempty"`
	Revision string `json:"revision,omitempty"`
}
