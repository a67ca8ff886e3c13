package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// An objectName is KIND/NAME as a user writes it.
type ObjectName struct{ kind, name string }

func (o ObjectName) String() string { return o.kind + "/" + o.name }

var kindSlashName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*/[^/]+$`)

// SplitArgs tells objects from the one directory: an object is KIND/NAME, a directory that looks like one is written
// with ./ in front.
func SplitArgs(args []string) (objects []ObjectName, dir string, err error) {
	for _, arg := range args {
		if kindSlashName.MatchString(arg) {
			kind, name, _ := strings.Cut(arg, "/")
			objects = append(objects, ObjectName{kind, name})
			continue
		}
		if dir != "" {
			return nil, "", fmt.Errorf("two directories, %s and %s: an object is written KIND/NAME", dir, arg)
		}
		dir = arg
	}
	return objects, dir, nil
}

// A finder finds objects by what users call them.
type finder struct {
	kinds kindNames
	ids   []manifest.ID
	// namespace that was asked for; empty: any.
	namespace string
}

// find is the one object of that name. What is not there, or is there several times, is an error that says what is.
func (f finder) find(o ObjectName) (manifest.ID, error) {
	kinds, near := f.kinds.lookup(o.kind)
	if len(kinds) == 0 {
		hint := ""
		if near != "" {
			hint = fmt.Sprintf("; did you mean %s/%s?", near, o.name)
		}
		return manifest.ID{}, fmt.Errorf("there is no kind %q%s (a directory is written ./%s)", o.kind, hint, o)
	}
	of := f.ofKinds(kinds)
	var found []manifest.ID
	for _, id := range of {
		if id.Name == o.name && f.inNamespace(id) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return manifest.ID{}, f.notFound(kinds[0].Kind, o.name, of)
	}
	return manifest.ID{}, ambiguous(o, found)
}

// ofKinds are the objects of the kinds, in any namespace.
func (f finder) ofKinds(kinds []schema.GroupKind) []manifest.ID {
	var ids []manifest.ID
	for _, id := range f.ids {
		if slices.Contains(kinds, id.GroupKind()) {
			ids = append(ids, id)
		}
	}
	return ids
}

// inNamespace says whether the object may be the one that is meant. What has no namespace is in every one.
func (f finder) inNamespace(id manifest.ID) bool {
	return f.namespace == "" || id.Namespace == "" || id.Namespace == f.namespace
}

// notFound says what there is instead.
func (f finder) notFound(kind, name string, of []manifest.ID) error {
	var names, elsewhere []string
	for _, id := range of {
		if f.inNamespace(id) {
			names = append(names, id.Name)
		}
		if id.Name == name {
			elsewhere = append(elsewhere, id.Namespace)
		}
	}
	where := ""
	if f.namespace != "" {
		where = " in namespace " + f.namespace
	}
	what := fmt.Sprintf("there is no %s %q%s", kind, name, where)
	switch {
	case len(elsewhere) > 0:
		return fmt.Errorf("%s; there is one in %s", what, strings.Join(elsewhere, ", "))
	case kind == "Namespace" && slices.ContainsFunc(f.ids, func(id manifest.ID) bool { return id.Namespace == name }):
		return fmt.Errorf("%s among the manifests; it is made on every cluster that an object in it goes to", what)
	case len(of) == 0:
		return fmt.Errorf("%s, nor any other", what)
	}
	return fmt.Errorf("%s%s", what, manifest.DidYouMean(name, names))
}

// ambiguous lists what a name may mean.
func ambiguous(o ObjectName, found []manifest.ID) error {
	var choices []string
	say := "-n NAMESPACE"
	for _, id := range found {
		choices = append(choices, id.String())
		if id.GroupKind() != found[0].GroupKind() {
			say = "KIND.GROUP/NAME"
		}
	}
	return fmt.Errorf("which %s? there is %s: say %s", o, strings.Join(choices, ", "), say)
}
