package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind"
)

// Template is one object of a federation and what was decided about it.
type Template struct {
	ID  manifest.ID
	GVK schema.GroupVersionKind
	// Kind of the object, from the plan.
	Kind kind.Kind
	// Manifest is the object as it stands in Git. It is shared, and never changed.
	Manifest *unstructured.Unstructured
	// Digest identifies the Manifest.
	Digest string
	// Shares are the decided clusters, sorted by name.
	Shares []Share
}

// Share is the part of one cluster.
type Share struct {
	Cluster string
	// Digest of the rendered object; empty when it could not be rendered.
	Digest string
	// Rendered is that object as JSON; nil when it could not be rendered.
	Rendered []byte
	// Held says that the cluster deliberately does not get it now.
	Held bool
}

// Decision identifies all that the decided clusters have to do, in 16 hex digits. It does not depend on where the manifest
// stands, nor on the commit.
func (t Template) Decision() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", t.GVK.Version, t.Digest)
	for _, s := range t.Shares {
		fmt.Fprintf(h, "%q %q %t\n", s.Cluster, s.Digest, s.Held)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
