package ownership

import (
	"bytes"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Yielded is a field of a planned object that the member has set and owns since: see kind.Kind.Yields.
type Yielded struct {
	// Path of the field: "spec.replicas".
	Path string
	// Manager that has set it, if it is known.
	Manager string
}

// String returns a sentence about the field.
func (l Yielded) String() string {
	switch l.Manager {
	case "":
		return l.Path + " is left to the cluster" // a value that the API server allocates has no manager
	case v1alpha1.FieldManager:
		return l.Path + " is left to an admission webhook" // which changed it in a request of ours
	}
	return l.Path + " is left to " + l.Manager
}

// Present returns the paths at which an object has a value. Most objects have none, which is found without decoding
// them.
func Present(paths []string, applied []byte) []string {
	var object map[string]any
	var has []string
	for _, path := range paths {
		at := strings.Split(path, ".")
		if !bytes.Contains(applied, []byte(`"`+at[len(at)-1]+`"`)) {
			continue
		}
		if object == nil && utiljson.Unmarshal(applied, &object) != nil {
			return nil
		}
		if lookup(object, path) != nil {
			has = append(has, path)
		}
	}
	return has
}

// Yielded returns the paths that an apply may omit for a live object: those with a value of which accord owns no
// part, because an apply would remove that. A path within an atomic value cannot be omitted.
func (all Managers) Yielded(paths []string, live map[string]any) []Yielded {
	if len(paths) == 0 {
		return nil
	}
	ours, everybodys := all.Ours().Set(), fieldpath.NewSet()
	for _, m := range all {
		everybodys = everybodys.Union(m.fields.Set())
	}
	var left []Yielded
	for _, path := range paths {
		inside := owned(everybodys, path) == part
		if lookup(live, path) != nil && owned(ours, path) == nothing && !inside {
			left = append(left, Yielded{Path: path, Manager: all.holder(path)})
		}
	}
	return left
}

// Differing returns the fields at which two objects differ.
func Differing(left []Yielded, a, b map[string]any) []Yielded {
	var kept []Yielded
	for _, l := range left {
		if !Equal(a, b, l.Path) {
			kept = append(kept, l)
		}
	}
	return kept
}

// Equal reports whether two objects have equal values at a path.
func Equal(a, b map[string]any, path string) bool {
	return equality.Semantic.DeepEqual(lookup(a, path), lookup(b, path))
}

// holder returns the newest manager that owns the field at a path, or fields below it.
func (all Managers) holder(path string) string {
	for _, m := range all.byAge() {
		if m.Owns(path) {
			return m.Name
		}
	}
	return ""
}

// Owns reports whether the manager owns the field at a path, or fields below it.
func (m Manager) Owns(path string) bool { return m.fields.Owns(path) }

// Owns reports whether the field at a path, or fields below it, are in the set.
func (f Fields) Owns(path string) bool { return owned(f.Set(), path) == whole }

// holding is the relation of a set of fields to a path.
type holding int

const (
	nothing holding = iota
	part            // of something larger that is one value
	whole           // the field at the path, or fields below it
)

// owned returns how much of a path is in a set.
func owned(set *fieldpath.Set, path string) holding {
	for rest := path; ; {
		name, after, more := strings.Cut(rest, ".")
		e := fieldpath.FieldNameElement(name)
		below, ok := set.Children.Get(e)
		switch {
		case !ok && !set.Members.Has(e):
			return nothing
		case !more:
			return whole
		case !ok:
			return part
		}
		set, rest = below, after
	}
}

// lookup returns the value at a path, or nil.
func lookup(object map[string]any, path string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...) // a scalar has no fields
	return v
}

// Remove removes the value at a path, and the parents that become empty: accord would own an empty object.
func Remove(object map[string]any, path string) {
	unstructured.RemoveNestedField(object, strings.Split(path, ".")...)
	for i := strings.LastIndex(path, "."); i > 0; i = strings.LastIndex(path[:i], ".") {
		if around, ok := lookup(object, path[:i]).(map[string]any); !ok || len(around) > 0 {
			return
		}
		unstructured.RemoveNestedField(object, strings.Split(path[:i], ".")...)
	}
}

// Paths joins the paths of yielded fields into a comparable string.
func Paths(left []Yielded) string {
	var all []string
	for _, l := range left {
		all = append(all, l.Path)
	}
	return strings.Join(all, ",")
}

// Covers reports whether yielded includes all paths that were yielded before.
func Covers(left []Yielded, before string) bool {
	for path := range strings.SplitSeq(before, ",") {
		if path != "" && !strings.Contains(","+Paths(left)+",", ","+path+",") {
			return false
		}
	}
	return true
}
