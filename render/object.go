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
	// Origin is where the first line of the manifest's content stands, comments before it left out. For what
	// kustomize built it is the file the object came from, or the kustomization that generated it; Line is then
	// 0 when it cannot be told.
	Origin manifest.Origin
	// Text is the YAML document that Manifest was read from, for error messages with a line: its first line is
	// line Origin.Line of the file. It is nil for items of a List, and when kustomize changed or made the object.
	Text []byte
	// Digest is the xxhash of the canonical content, 16 hex digits (see Digest).
	Digest string
}

// ID names the object.
func (o Object) ID() manifest.ID { return manifest.IDOf(o.Manifest) }
