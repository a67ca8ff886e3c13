// Package manifest names Kubernetes objects and says where in Git they were written.
// It is the vocabulary that every other package shares; it imports nothing of accord.
package manifest

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ID identifies an object whatever version it is written in: two manifests with the same ID
// are the same object on a cluster. Namespace is empty for cluster-scoped kinds.
type ID struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// IDOf names u.
func IDOf(u *unstructured.Unstructured) ID {
	gvk := u.GroupVersionKind()
	return ID{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// GroupKind is the kind of the object.
func (id ID) GroupKind() schema.GroupKind { return schema.GroupKind{Group: id.Group, Kind: id.Kind} }

// IsSecret says whether the values of the object are nobody's business: none may reach a message, a status or a digest.
func (id ID) IsSecret() bool { return id.Group == "" && id.Kind == "Secret" }

// String is what people read: "apps/Deployment shop/web", "Namespace shop".
func (id ID) String() string {
	s := id.Kind
	if id.Group != "" {
		s = id.Group + "/" + s
	}
	if id.Namespace != "" {
		return s + " " + id.Namespace + "/" + id.Name
	}
	return s + " " + id.Name
}

// Compare orders by group, kind, namespace and name.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		cmp.Compare(id.Group, other.Group),
		cmp.Compare(id.Kind, other.Kind),
		cmp.Compare(id.Namespace, other.Namespace),
		cmp.Compare(id.Name, other.Name),
	)
}

// Entry is the inventory form "<namespace>_<name>_<group>_<kind>", the one Flux and cli-utils use.
// Names with a colon (RBAC) are written with a double underscore, as there.
func (id ID) Entry() string {
	return id.Namespace + "_" + strings.ReplaceAll(id.Name, ":", "__") + "_" + id.Group + "_" + id.Kind
}

// ParseEntry reads what Entry wrote.
func ParseEntry(s string) (ID, error) {
	var id ID
	first, rest, ok := strings.Cut(s, "_")
	last := strings.LastIndexByte(rest, '_')
	if !ok || last < 0 {
		return ID{}, fmt.Errorf("inventory entry %q is not <namespace>_<name>_<group>_<kind>", s)
	}
	group := strings.LastIndexByte(rest[:last], '_')
	if group < 0 {
		return ID{}, fmt.Errorf("inventory entry %q is not <namespace>_<name>_<group>_<kind>", s)
	}
	id.Namespace, id.Kind = first, rest[last+1:]
	id.Name, id.Group = strings.ReplaceAll(rest[:group], "__", ":"), rest[group+1:last]
	return id, nil
}

// Origin is the place in a source that a manifest, or a field of one, was read from.
type Origin struct {
	Source string `json:"source,omitempty"` // name of the source in the Federation; empty when there is only one
	Path   string `json:"path,omitempty"`   // slash-separated, relative to the root of the tree
	Line   int    `json:"line,omitempty"`   // 1-based; 0 when it is not known (objects that kustomize made)
	Column int    `json:"column,omitempty"` // 1-based, in characters; 0 when it is not known (whole manifests)
}

// String is "policies/web.yaml:14", without the column, with the source in front when there are several: "apps//policies/web.yaml:14".
func (o Origin) String() string {
	s := o.Path
	if o.Source != "" {
		s = o.Source + "//" + s
	}
	if o.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, o.Line)
	}
	return s
}

// Error is a mistake in a manifest, addressed to its author.
type Error struct {
	Origin  Origin
	Message string // what is wrong and what was expected, with the nearest valid name if there is one
}

// Error is "policies/web.yaml:14: unknown field ...".
func (e *Error) Error() string { return e.Origin.String() + ": " + e.Message }
