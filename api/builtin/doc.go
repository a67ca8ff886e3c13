// Package builtin finds the values in a manifest that an API server rejects when it decodes the manifest: a value of
// another type than its field, and a name that the kind does not allow. It knows the kinds of Kubernetes itself; of other
// kinds it knows the metadata. It ignores fields that a kind does not have.
package builtin

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// maxMistakes bounds the mistakes of one manifest.
const maxMistakes = 20

// Check returns the mistakes in a manifest, at most 20, in the order of the names of their fields. status is ignored:
// accord never sends it. A message about a Secret has no value of it.
func Check(u *unstructured.Unstructured) []manifest.Mistake {
	c := checking{secret: manifest.IDOf(u).IsSecret()}
	known := types()
	if s := known.kinds[u.GroupVersionKind()]; s != nil {
		c.value(u.Object, s)
	} else {
		c.path = append(c.path, "metadata")
		c.value(u.Object["metadata"], known.metadata)
	}
	if len(c.found) == 0 {
		c.name(u)
	}
	return c.found
}

// CheckAs returns the values that the JSON decoder rejects when it decodes a part of a manifest into a Go value; path is the
// path of the part.
func CheckAs(part, into any, path ...string) []manifest.Mistake {
	c := checking{path: path}
	c.value(part, shapes{}.of(reflect.TypeOf(into)))
	return c.found
}

// checking is the check of one manifest.
type checking struct {
	secret bool
	path   []string // of the current value
	found  []manifest.Mistake
}

func (c *checking) add(message string) {
	c.found = append(c.found, manifest.Mistake{Path: append([]string(nil), c.path...), Message: message})
}

func (c *checking) full() bool { return len(c.found) >= maxMistakes }

func (c *checking) field() string { return strings.ReplaceAll(strings.Join(c.path, "."), ".[", "[") }
