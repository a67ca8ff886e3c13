// Package render turns a tree of files into Kubernetes objects. It only reads an fs.FS: it uses no network, runs no
// plugins or commands, and reads no paths outside the tree. Package override applies the changes for one cluster.
package render

import (
	"github.com/accord-dev/accord/api/manifest"
)

// Object is one manifest as written in Git, or as built by kustomize. It is two pointers, because a push copies the list of all objects.
type Object struct {
	// Manifest is shared by all holders of the Object: copy it before you change it.
	Manifest *manifest.Packed
	// Written is shared as well: replace it to change it.
	*Written
}

// Written describes how a manifest is written.
type Written struct {
	// Origin is the first line of the manifest's content, without preceding comments. For an object that kustomize
	// built it is the source file, or the kustomization that generated the object; Line is 0 if unknown.
	Origin manifest.Origin
	// Text is the YAML document of Manifest, for error messages with a line, and part of the file in memory: nobody changes it. Its
	// first line is line Origin.Line of the file. It is nil for items of a List, and if kustomize changed or generated the object.
	Text []byte
	// Digest is the result of the function Digest; empty if the Manifest is a changed copy.
	Digest string

	// id is that of the manifest; nil if Build did not make the object.
	id *manifest.ID
}

// ID returns the ID of the manifest.
func (o Object) ID() manifest.ID {
	if o.Written != nil && o.id != nil {
		return *o.id
	}
	return manifest.IDOf(o.Manifest.Get())
}
