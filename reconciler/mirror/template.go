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

// Template is one object of a Federation with the decision about it.
type Template struct {
	ID  manifest.ID
	GVK schema.GroupVersionKind
	// Kind of the object, from the plan.
	Kind kind.Kind
	// Manifest is the object as Git has it. It is shared, and never changed.
	Manifest *unstructured.Unstructured
	// Digest identifies the Manifest.
	Digest string
	// Shares are the decided clusters, sorted by name.
	Shares []Share
}

// Share is the decision for one cluster.
type Share struct {
	Cluster string
	// Digest of the rendered object; empty when it could not be rendered.
	Digest string
	// Rendered is that object as JSON; nil when it could not be rendered.
	Rendered []byte
	// Held: the cluster deliberately does not get this version now.
	Held bool
}

// Decision returns 16 hex digits that identify the decision for all clusters. They depend neither on the commit nor on the path
// of the manifest.
func (t Template) Decision() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", t.GVK.Version, t.Digest)
	for _, s := range t.Shares {
		fmt.Fprintf(h, "%q %q %t\n", s.Cluster, s.Digest, s.Held)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
