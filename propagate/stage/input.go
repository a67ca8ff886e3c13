package stage

import (
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Input is all that a decision about one rollout depends on.
type Input struct {
	Sequence Sequence
	// Revision is the commit that is wanted, as the status writes it ("main@sha1:..."). It says where a version can be
	// rendered from; that something changed is said by digests only.
	Revision string
	// Clusters on which an object of the rollout is wanted or still is, in any order. Of a cluster that is not among them
	// nothing is remembered.
	Clusters []Cluster
	// Commands of people, from the RolloutPolicy (policy.Rollout.Orders) and from the Release.
	Commands []policy.Command
	// Previous is State of the last Outcome; the zero State when there is none. Then what runs on a cluster is taken as what it
	// was given last.
	Previous State
	Now      time.Time
}

// Cluster is what is wanted of the rollout on one cluster, and what is known of it.
type Cluster struct {
	Name string
	// Wanted is the Sum of the finished objects that the plan has for the cluster, those of their dependencies included; an
	// object that cannot be rendered is in it with a digest that says so. Empty: nothing is wanted there any more.
	Wanted string
	// Held is why people hold the cluster or the objects there (a suspension, a hold); empty when they do not.
	Held string
	// Unreachable is why the cluster is not heard from; empty when it is.
	Unreachable string
	// Unobserved says that the cluster was not asked yet since this process began: what is remembered of it stands, and it is
	// given nothing. Its Report is not read.
	Unobserved bool
	Report     Report
}

// Report is what a cluster says of the objects of a rollout. It is about one version; a report about another one than the
// cluster was given says nothing.
type Report struct {
	// Digest is the Sum of the live objects, each with the digest that it has there. Empty: there is none.
	Digest string
	// Revision that was applied there last. It is read only when nothing is remembered of the cluster.
	Revision string
	Health   Health
	// Since is when Health became what it is; zero when it is not known, and then it is from when it was first seen.
	Since time.Time
	// Message is a sentence about what is worst there: "Deployment shop/web: ImagePullBackOff".
	Message string
	// Answers to what the gate of the stage asks of a cluster beyond health, by Question; one that is not there is Unknown.
	Answers map[Question]Answer
}

// Health of all objects of a rollout on a cluster together. The zero value is Unknown.
type Health string

const (
	Unknown     Health = ""
	Progressing Health = "Progressing"
	Healthy     Health = "Healthy"
	// Failed may recover; it counts when the deadline is over.
	Failed Health = "Failed"
	// Stalled is what no waiting can help: an object cannot be rendered, or the cluster refuses it for good. It counts at once.
	Stalled Health = "Stalled"
)

// Question is what a gate asks of a cluster: "condition SmokeTestsPassed", "job shop/smoke", "cel". See Questions.
type Question string

// Answer of a cluster to a Question, about the version in the same Report.
type Answer struct {
	// State is Healthy for yes, Stalled for no and never, and anything else for not yet.
	State Health
	// Message is why not, as a sentence.
	Message string
}

// Version is a rendered result on a cluster, and where in Git it came from.
type Version struct {
	Digest   string `json:"digest,omitempty"`
	Revision string `json:"revision,omitempty"`
}
