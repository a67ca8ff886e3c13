package status

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/kind"
)

// Report is the state of one live object on one cluster. Reports keeps it.
type Report struct {
	// Digest is the annotation accord.dev/digest of the live object.
	Digest string
	// Generation is 0 for kinds without one.
	Generation int64
	// ObservedGeneration is the live status.observedGeneration. Observes is set if there is one, or if the kind's
	// controller always reports it: a Deployment without it was not observed yet.
	ObservedGeneration int64
	Observes           bool
	Health             kind.Health
	// Message is a sentence about the health, at most 256 bytes.
	Message string
	// Unschedulable counts the replicas that the descheduler may move.
	Unschedulable v1alpha1.UnschedulableReplicas
	// Status is the result of kind.Reflect.
	Status Reflected
}

// Cell is one object on one cluster: the decision, the last attempt and the report. Object, Delivery and Release are
// three views of the matrix of cells.
type Cell struct {
	Object  manifest.ID
	Cluster string
	// Want is the digest decided for it; empty if it could not be rendered: then Error has the reason.
	Want string
	// Held is the reason why the cluster deliberately does not get it now; empty if it does.
	Held string
	// Error is the last error of rendering or applying Want; empty if there was none.
	Error string
	// Mutated describes applied fields that have other values on the cluster; empty if there are none. With MutationFails the
	// state is Failed then.
	Mutated       string
	MutationFails bool
	// Report is nil while the cluster has not reported the object: it does not exist, or is not listed yet.
	Report *Report
	// Unreachable has the reason and the time since which the cluster is unreachable; empty if it is reachable.
	Unreachable string
	// Since is the time of the last change of the cell's state; zero if it is unknown.
	Since time.Time
}

// Observe returns the Report of a live object of a known kind.
func Observe(u *unstructured.Unstructured, known kind.Kind) Report {
	metadata, _ := u.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any) // without a copy
	digest, _ := annotations[v1alpha1.DigestAnnotation].(string)
	r := Report{
		Digest:     digest,
		Generation: u.GetGeneration(),
		Observes:   known.Observes,
	}
	if seen, ok, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration"); ok && err == nil {
		r.ObservedGeneration, r.Observes = seen, true
	}
	health, message := known.Health(u)
	r.Health, r.Message = health, shorten(message, maxSentence)
	if known.Reflect != nil {
		r.Status = Reflect(known.Reflect(u))
	}
	return r
}
