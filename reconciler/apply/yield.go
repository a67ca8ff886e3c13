package apply

import (
	"bytes"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Left is a field of a wanted object that the member has set itself, and that is its own since: see kind.Kind.Yields.
type Left struct {
	// Path is where it is: "spec.replicas".
	Path string
	// Manager that has set it, as far as can be told.
	Manager string
}

// String is a sentence about it.
func (l Left) String() string {
	switch l.Manager {
	case "":
		return l.Path + " is left to the cluster" // what an API server gives out by itself is nobody's
	case v1alpha1.FieldManager:
		return l.Path + " is left to an admission webhook" // which changed it in a request of ours
	}
	return l.Path + " is left to " + l.Manager
}

// yielded are those of the paths at which an object that is to be applied has a value. Most have none, and that is seen
// without reading them.
func yielded(paths []string, applied []byte) []string {
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

// left are those of the paths that an apply may leave out of an object that is live: it has something there, and we own
// nothing there that would be removed. A path inside of what the API server takes for one value cannot be left out.
func (all managers) left(paths []string, live map[string]any) []Left {
	if len(paths) == 0 {
		return nil
	}
	ours, everybodys := all.ours().set(), fieldpath.NewSet()
	for _, m := range all {
		everybodys = everybodys.Union(m.fields.set())
	}
	var left []Left
	for _, path := range paths {
		inside := owned(everybodys, path) == part
		if lookup(live, path) != nil && owned(ours, path) == nothing && !inside {
			left = append(left, Left{Path: path, Manager: all.holder(path)})
		}
	}
	return left
}

// unlike keeps those at which two objects differ.
func unlike(left []Left, a, b map[string]any) []Left {
	var kept []Left
	for _, l := range left {
		if !same(a, b, l.Path) {
			kept = append(kept, l)
		}
	}
	return kept
}

// same says that two objects have the same at a path.
func same(a, b map[string]any, path string) bool {
	return equality.Semantic.DeepEqual(lookup(a, path), lookup(b, path))
}

// holder is the newest manager that owns the field at a path, or something of it.
func (all managers) holder(path string) string {
	for _, m := range all.byAge() {
		if owned(m.fields.set(), path) == whole {
			return m.name
		}
	}
	return ""
}

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

// drop removes what is at a path, and the objects around it that have nothing else: an empty object is a value that would
// be ours.
func drop(object map[string]any, path string) {
	unstructured.RemoveNestedField(object, strings.Split(path, ".")...)
	for i := strings.LastIndex(path, "."); i > 0; i = strings.LastIndex(path[:i], ".") {
		if around, ok := lookup(object, path[:i]).(map[string]any); !ok || len(around) > 0 {
			return
		}
		unstructured.RemoveNestedField(object, strings.Split(path[:i], ".")...)
	}
}

// paths of what is left, in one string that can be compared.
func paths(left []Left) string {
	var all []string
	for _, l := range left {
		all = append(all, l.Path)
	}
	return strings.Join(all, ",")
}

// covers says whether what is left includes all that was left before.
func covers(left []Left, before string) bool {
	for path := range strings.SplitSeq(before, ",") {
		if path != "" && !strings.Contains(","+paths(left)+",", ","+path+",") {
			return false
		}
	}
	return true
}
