package propagate

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/render/override"
)

// ClusterPlan lists all objects that one cluster should have.
type ClusterPlan struct {
	Cluster string
	// Objects in the order in which they are applied: namespaces and CRDs first, workloads last.
	Objects []Placed
	// Failed are objects that could not be rendered for this cluster. Their live objects stay unchanged.
	Failed []Failure
}

// Placed is one finished object for one cluster.
type Placed struct {
	*Rendered
	// Held is the reason why the object is held here (see Choice); empty when it is to be applied.
	Held string
	// Overwrite allows accord to take over an existing object of another owner (conflictResolution, Karmada §3.7).
	Overwrite bool
	// Implied marks a Namespace that no policy places on this cluster; an object in it needs it.
	Implied bool
}

// Rendered is a finished object. Clusters with identical results share one Rendered.
type Rendered struct {
	ID  manifest.ID
	GVK schema.GroupVersionKind
	// Digest identifies the content (render.Sum of the object before the digest annotation and inventory label were
	// added).
	Digest string
	// Body is the complete body of a server-side apply in JSON: the object with digest annotation and inventory label.
	Body compact.Text
	// Origin is the place of the template in Git.
	Origin manifest.Origin
	// Edits are the changes by overrides, in order.
	Edits []override.Edit
	// Yields are the paths of fields, such as "spec.replicas", that belong to the member once another field manager has
	// set them there.
	Yields []string

	sum render.Sum // of the object that Digest identifies
}

// Failure is one object that could not be rendered for one cluster.
type Failure struct {
	ID     manifest.ID
	Origin manifest.Origin
	Held   string
	Err    error
}
