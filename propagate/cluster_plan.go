package propagate

import (
	"crypto/sha256"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/override"
)

// ClusterPlan is all that one cluster should have.
type ClusterPlan struct {
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
