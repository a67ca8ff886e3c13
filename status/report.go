package status

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/kind"
)

// Report is what one cluster says about one live object. Reports keep it.
type Report struct {
	// Digest is the annotation accord.dev/digest of the live object.
	Digest string
	// Generation is 0 for kinds without one.
	Generation int64
	// ObservedGeneration is the live status.observedGeneration. Observes says whether there is one, or, for a kind whose
	// controller always reports it, will be: a Deployment that no controller has looked at yet is not observed.
	ObservedGeneration int64
	Observes           bool
	Health             kind.Health
	// Message is a sentence about the health, at most 256 bytes.
	Message string
	// Status is what kind.Reflect picked.
	Status Reflected
}

// Cell is one object on one cluster: what was decided, what was tried, what is known.
// Object, Delivery and Release are three views of the matrix of cells.
type Cell struct {
	Object  manifest.ID
	Cluster string
	// Want is the digest decided for it; empty when it could not be rendered, and then Error says why.
	Want string
	// Held says why the cluster deliberately does not get it now; empty when it does.
	Held string
	// Error is the last error of rendering or applying Want; empty when there was none.
	Error string
	// Report is nil while the cluster has not said anything about the object: not there, or not listed yet.
	Report *Report
	// Unreachable says why and since when the cluster is not heard from; empty when it is.
	Unreachable string
	// Since is when the state of this cell changed last, as far as it is known; zero when it is not.
	Since time.Time
}

// Observe is the Report of a live object; known is what is known about its kind.
func Observe(u *unstructured.Unstructured, known kind.Kind) Report {
	r := Report{
		Digest:     u.GetAnnotations()[v1alpha1.DigestAnnotation],
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
