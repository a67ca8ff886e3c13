package decision

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/override"
)

// IdentityChanged returns the error for an override that turns the object into another one. Two objects could then become one
// on a cluster, and accord could find neither its policy nor its history again.
func (d *Decision) IdentityChanged(to manifest.ID, edits []override.Edit) error {
	e := &manifest.Error{Origin: d.Origin, Message: fmt.Sprintf("an override changes %s to %s; it must not change kind, namespace or name", d.ID, to)}
	for _, edit := range edits {
		switch edit.Path {
		case "", "/metadata", "/metadata/name", "/metadata/namespace", "/kind", "/apiVersion":
			e.Origin = edit.At
		}
	}
	return e
}

// Mistake returns an error at the place of the object.
func (d *Decision) Mistake(format string, args ...any) error {
	return &manifest.Error{Origin: d.Origin, Message: d.ID.String() + ": " + fmt.Sprintf(format, args...)}
}
