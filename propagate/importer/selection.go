package importer

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/unrender"
)

// Resource is a kind that a cluster serves.
type Resource struct {
	schema.GroupVersionResource
	metav1.APIResource // its Group and Version are empty
}

// GroupKind returns the kind.
func (r Resource) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: r.GroupVersionResource.Group, Kind: r.Kind}
}

// Selection says which objects to read. The zero value selects all except those of the system.
type Selection struct {
	Namespaces []string
	Kinds      []string // as kubectl accepts them: "deployment", "deploy", "deployments.apps"
	Exclude    []string // a kind, or KIND/[NAMESPACE/]NAME with wildcards; a Namespace means everything in it
}

// systemNamespaces belong to the cluster, or to accord.
var systemNamespaces = append(unrender.SystemNamespaces(), "accord-system")

// Check returns an error for a selection that cannot be meant.
func (s Selection) Check() error {
	for _, p := range slices.Concat(s.Kinds, s.Exclude) {
		if _, err := path.Match(p, ""); err != nil || p == "" || strings.Count(p, "/") > 2 {
			return fmt.Errorf("%q is no kind: write KIND, KIND.GROUP, KIND/NAME or KIND/NAMESPACE/NAME", p)
		}
	}
	if i := slices.IndexFunc(s.Kinds, func(k string) bool { return strings.Contains(k, "/") }); i >= 0 {
		return fmt.Errorf("--kinds selects kinds, not objects: write %q", strings.SplitN(s.Kinds[i], "/", 2)[0])
	}
	if slices.Contains(s.Namespaces, "") {
		return errors.New("a namespace has no name: write -n NAME")
	}
	return nil
}

// Reads reports whether objects of a kind are to be read. Cluster-scoped kinds need a name in Kinds if namespaces are selected; only the
// Namespaces themselves are always selected.
func (s Selection) Reads(r Resource) bool {
	switch {
	case strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "create"):
		return false
	case unrender.KindLeftOut(r.GroupKind()) != "" || slices.ContainsFunc(s.Exclude, r.is):
		return false
	case len(s.Kinds) > 0:
		return slices.ContainsFunc(s.Kinds, r.is)
	}
	return r.Namespaced || len(s.Namespaces) == 0 || r.isNamespace()
}

func (r Resource) isNamespace() bool { return r.GroupKind() == schema.GroupKind{Kind: "Namespace"} }

// Has reports whether an object of a kind is selected.
func (s Selection) Has(r Resource, id manifest.ID) bool {
	namespace := id.Namespace
	if r.isNamespace() {
		namespace = id.Name
	}
	if namespace != "" && len(s.Namespaces) > 0 && !slices.Contains(s.Namespaces, namespace) {
		return false
	}
	if len(s.Namespaces) == 0 && slices.Contains(systemNamespaces, namespace) {
		return false
	}
	return !slices.ContainsFunc(s.Exclude, func(pattern string) bool {
		kind, name, object := strings.Cut(pattern, "/")
		if !object {
			return false
		}
		if isAny(kind, "namespaces", "namespace", "ns") && namespace != "" && matches(name, namespace) {
			return true
		}
		return r.is(kind) && (matches(name, id.Name) || matches(name, id.Namespace+"/"+id.Name))
	})
}

// is reports whether a user's word means the kind.
func (r Resource) is(word string) bool {
	word = strings.ToLower(word)
	name, group, _ := strings.Cut(word, ".")
	if group != "" && group != r.GroupVersionResource.Group {
		return false
	}
	return isAny(name, r.Name, r.SingularName, strings.ToLower(r.Kind)) || slices.Contains(r.ShortNames, name)
}

func isAny(word string, names ...string) bool { return slices.Contains(names, word) }

// matches reports whether a name matches a pattern with wildcards.
func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // Check has tried the pattern
	return ok
}

// Unknown returns the words of Kinds that mean none of the resources.
func (s Selection) Unknown(all []Resource) (unknown []string) {
	for _, word := range s.Kinds {
		if !slices.ContainsFunc(all, func(r Resource) bool { return r.is(word) }) {
			unknown = append(unknown, word)
		}
	}
	return unknown
}
