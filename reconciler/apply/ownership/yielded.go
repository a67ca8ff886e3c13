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

// Yielded is a field of a wanted object that the member has set itself, and that is its own since: see kind.Kind.Yields.
type Yielded struct {
	// Path is where it is: "spec.replicas".
	Path string
	// Manager that has set it, as far as can be told.
	Manager string
}

// String is a sentence about it.
func (l Yielded) String() string {
	switch l.Manager {
	case "":
		return l.Path + " is left to the cluster" // what an API server gives out by itself is nobody's
	case v1alpha1.FieldManager:
		return l.Path + " is left to an admission webhook" // which changed it in a request of ours
	}
	return l.Path + " is left to " + l.Manager
}

// Present are those of the paths at which an object that is to be applied has a value. Most have none, and that is seen
// without reading them.
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

// Yielded are those of the paths that an apply may leave out of an object that is live: it has something there, and we own
// nothing there that would be removed. A path inside of what the API server takes for one value cannot be left out.
func (all Managers) Yielded(paths []string, live map[string]any) []Yielded {
	if len(paths) == 0 {
		return nil
	}
	ours, everybodys := all.Ours().set(), fieldpath.NewSet()
	for _, m := range all {
		everybodys = everybodys.Union(m.fields.set())
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

// Differing keeps those at which two objects differ.
func Differing(left []Yielded, a, b map[string]any) []Yielded {
	var kept []Yielded
	for _, l := range left {
		if !Equal(a, b, l.Path) {
			kept = append(kept, l)
		}
	}
	return kept
}

// Equal says that two objects have the same at a path.
func Equal(a, b map[string]any, path string) bool {
	return equality.Semantic.DeepEqual(lookup(a, path), lookup(b, path))
}

// holder is the newest manager that owns the field at a path, or something of it.
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
func (f Fields) Owns(path string) bool { return owned(f.set(), path) == whole }

// holding is what a set of fields has of a path.
type holding int

const (
	nothing holding = iota
	part            // of something larger that is one value
	whole           // the field at the path, or fields below it
)

// owned says what of a path is in a set.
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

// lookup is the value at a path; nil if there is none.
func lookup(object map[string]any, path string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...) // what is no object has no fields
	return v
}

// Remove removes what is at a path, and the objects around it that have nothing else: an empty object is a value that would
// be ours.
func Remove(object map[string]any, path string) {
	unstructured.RemoveNestedField(object, strings.Split(path, ".")...)
	for i := strings.LastIndex(path, "."); i > 0; i = strings.LastIndex(path[:i], ".") {
		if around, ok := lookup(object, path[:i]).(map[string]any); !ok || len(around) > 0 {
			return
		}
		unstructured.RemoveNestedField(object, strings.Split(path[:i], ".")...)
	}
}

// Paths of what is left, in one string that can be compared.
func Paths(left []Yielded) string {
	var all []string
	for _, l := range left {
		all = append(all, l.Path)
	}
	return strings.Join(all, ",")
}

// Covers says whether what is left includes all that was left before.
func Covers(left []Yielded, before string) bool {
	for path := range strings.SplitSeq(before, ",") {
		if path != "" && !strings.Contains(","+Paths(left)+",", ","+path+",") {
			return false
		}
	}
	return true
}
