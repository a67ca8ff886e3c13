// Package render turns a tree of files into Kubernetes objects. It reads an fs.FS and nothing else:
// no network, no plugins, no commands, no paths outside the tree. What an object becomes on one
// cluster is package override's business.
package render

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// Object is one manifest as it stands in Git (or as kustomize built it).
type Object struct {
	// Manifest is shared by everybody who has the Object: copy it before changing it.
	Manifest *unstructured.Unstructured
	Origin   manifest.Origin
	// Text is the YAML document that Manifest was read from, for error messages with a line;
	// nil when kustomize made the object.
	Text []byte
	// Digest is the xxhash of the canonical content, 16 hex digits (see Digest).
	Digest string
}

// ID names the object.
func (o Object) ID() manifest.ID { return manifest.IDOf(o.Manifest) }
