package load

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// ObjectName is KIND/NAME as a user writes it.
type ObjectName struct{ kind, name string }

func (o ObjectName) String() string { return o.kind + "/" + o.name }

var kindSlashName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*/[^/]+$`)

// SplitArgs separates KIND/NAME arguments from the one directory. A directory that looks like KIND/NAME is written with ./ in
// front.
func SplitArgs(args []string) (objects []ObjectName, dir string, err error) {
	for _, arg := range args {
		if kindSlashName.MatchString(arg) {
			kind, name, _ := strings.Cut(arg, "/")
			objects = append(objects, ObjectName{kind, name})
			continue
		}
		if dir != "" {
			return nil, "", fmt.Errorf("at most one directory is allowed, got %s and %s (write an object as KIND/NAME)", dir, arg)
		}
		dir = arg
	}
	return objects, dir, nil
}

// finder finds objects by KIND/NAME.
type finder struct {
	kinds kindNames
	ids   []manifest.ID
	// namespace is the requested one; empty means any.
	namespace string
}

// find returns the one object of that name. The error lists the candidates if there is none or more than one.
func (f finder) find(o ObjectName) (manifest.ID, error) {
	kinds, near := f.kinds.lookup(o.kind)
	if len(kinds) == 0 {
		if instead := notAnObject(o); instead != "" {
			return manifest.ID{}, errors.New(instead)
		}
		hint := ""
		if near != "" {
			hint = fmt.Sprintf("; did you mean %s/%s?", near, o.name)
		}
		return manifest.ID{}, fmt.Errorf("unknown kind %q%s (write a directory as ./%s)", o.kind, hint, o)
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

// notAnObject returns the error about a word for a Cluster or a policy, which are no objects of a plan.
func notAnObject(o ObjectName) string {
	switch word, _, _ := strings.Cut(strings.ToLower(o.kind), "."); word {
	case "cluster", "clusters", "clu":
		return fmt.Sprintf("a Cluster is not delivered to clusters; use --cluster %s", o.name)
	case "pp", "cpp", "op", "cop", "propagationpolicy", "propagationpolicies", "clusterpropagationpolicy", "clusterpropagationpolicies",
		"overridepolicy", "overridepolicies", "clusteroverridepolicy", "clusteroverridepolicies", "clustertaintpolicy", "clustertaintpolicies",
		"rolloutpolicy", "rolloutpolicies":
		return fmt.Sprintf("%s is a policy, which no cluster gets; name an object that it selects, or use \"accord lint\" to check the policy", o)
	}
	return ""
}

// ofKinds returns the objects of the kinds, in any namespace.
func (f finder) ofKinds(kinds []schema.GroupKind) []manifest.ID {
	var ids []manifest.ID
	for _, id := range f.ids {
		if slices.Contains(kinds, id.GroupKind()) {
			ids = append(ids, id)
		}
	}
	return ids
}

// inNamespace reports whether the object is in the requested namespace. Cluster-scoped objects are in every namespace.
func (f finder) inNamespace(id manifest.ID) bool {
	return f.namespace == "" || id.Namespace == "" || id.Namespace == f.namespace
}

// notFound returns an error with the closest objects.
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
		return fmt.Errorf("%s among the manifests; accord creates it on every cluster of an object in it", what)
	case len(of) == 0:
		return fmt.Errorf("there is no %s in Git", kind)
	}
	return fmt.Errorf("%s%s", what, manifest.DidYouMean(name, names))
}

// ambiguous returns an error with the objects that match.
func ambiguous(o ObjectName, found []manifest.ID) error {
	var choices []string
	say := "-n NAMESPACE"
	for _, id := range found {
		choices = append(choices, id.String())
		if id.GroupKind() != found[0].GroupKind() {
			say = "KIND.GROUP/NAME"
		}
	}
	return fmt.Errorf("%s is ambiguous: %s; use %s", o, strings.Join(choices, ", "), say)
}
