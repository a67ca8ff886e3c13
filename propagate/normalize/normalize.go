// Package normalize gives every object the namespace that it has on a member, and a fixed order.
package normalize

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/scope"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/kind"
)

// Object is one manifest with its namespace set.
type Object struct {
	ID       manifest.ID
	Manifest *manifest.Packed
	Source   *manifest.Packed // manifest as the input has it
	Origin   manifest.Origin
	// ScopeUnknown means that the manifest names no namespace, and the kind may have one or not.
	ScopeUnknown bool
	Text         []byte // YAML document of the manifest, if known
	Input        int    // index in the input
	digest       string // of Manifest; empty if it is not known
}

// Digest returns the digest of Manifest.
func (o Object) Digest() string {
	if o.digest != "" {
		return o.digest
	}
	return render.Digest(o.Manifest.Get())
}

// Mistakes returns the values that the kind of an object cannot read, each a *manifest.Error.
func (o Object) Mistakes(k kind.Kind) []error {
	if k.Mistakes == nil {
		return nil
	}
	var errs []error
	for _, m := range k.Mistakes(o.Manifest.Get()) {
		errs = append(errs, m.At(o.Origin, o.Text))
	}
	return errs
}

// Before answers questions about the plan before.
type Before struct {
	// Decided reports whether there is a previous decision about an object.
	Decided func(id manifest.ID) bool
	// Moved returns the copy of a manifest with the namespace of id; nil if there is none.
	Moved func(source *manifest.Packed, id manifest.ID) *manifest.Packed
}

// Objects sets the namespace of every object, and sorts the objects by ID. The errors are about objects that are there twice. It copies a
// manifest to change it, unless before has the copy. An object of unknown scope without a namespace keeps the one of the
// previous decision: the definition of its kind may be out of sight for a moment only.
func Objects(all []render.Object, scopes scope.Kinds, before Before) ([]Object, []error) {
	objects := make([]Object, len(all))
	for i, o := range all {
		packed, id, digest := o.Manifest, o.ID(), o.Digest
		want, known := scopes.Namespace(id)
		if !known {
			want, known = previousNamespace(id, before)
		}
		if want != id.Namespace {
			id.Namespace, digest = want, ""
			if packed = before.Moved(o.Manifest, id); packed == nil {
				packed = o.Manifest.In(want)
			}
		}
		objects[i] = Object{id, packed, o.Manifest, o.Origin, !known, o.Text, i, digest}
	}
	slices.SortFunc(objects, func(a, b Object) int {
		return cmp.Or(a.ID.Compare(b.ID), a.Origin.Compare(b.Origin))
	})
	var errs []error
	for i := 1; i < len(objects); i++ {
		if objects[i].ID == objects[i-1].ID {
			errs = append(errs, manifest.Duplicate(objects[i].ID.String(), objects[i-1].Origin, objects[i].Origin))
		}
	}
	return objects, errs
}

// previousNamespace returns the namespace of the previous decision about an object without one.
func previousNamespace(id manifest.ID, before Before) (namespace string, known bool) {
	id.Namespace = scope.DefaultNamespace
	if before.Decided(id) {
		return id.Namespace, true
	}
	return "", false
}
