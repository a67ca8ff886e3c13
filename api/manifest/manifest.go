// Package manifest identifies Kubernetes objects and their positions in Git. All other packages share its types; it
// imports nothing of accord.
package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ID identifies an object independently of its version: two manifests with the same ID are the same object on a
// cluster. Namespace is empty for cluster-scoped kinds.
type ID struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// IDOf returns the ID of u.
func IDOf(u *unstructured.Unstructured) ID {
	gvk := u.GroupVersionKind()
	return ID{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// Label returns a label of a manifest; empty without one. It copies nothing, unlike the labels of u.
func Label(u *unstructured.Unstructured, key string) string { return metadataText(u, "labels", key) }

// Annotation returns an annotation of a manifest; empty without one. It copies nothing, unlike the annotations of u.
func Annotation(u *unstructured.Unstructured, key string) string {
	return metadataText(u, "annotations", key)
}

// metadataText returns the text of a key in a map of metadata. A map with another value than texts is none, as the getters of u have it.
func metadataText(u *unstructured.Unstructured, field, key string) string {
	metadata, _ := u.Object["metadata"].(map[string]any)
	all, _ := metadata[field].(map[string]any)
	text, is := all[key].(string)
	if !is {
		return ""
	}
	for _, other := range all {
		if _, is := other.(string); !is && other != nil {
			return ""
		}
	}
	return text
}

// Put sets one label or annotation of a manifest in place, in the map of metadata with this name, and creates the map if needed.
func Put(u *unstructured.Unstructured, field, key, value string) error {
	metadata, ok := u.Object["metadata"].(map[string]any)
	if !ok {
		return errors.New("metadata is not an object")
	}
	switch m := metadata[field].(type) {
	case map[string]any:
		m[key] = value
	case nil:
		metadata[field] = map[string]any{key: value}
	default:
		return fmt.Errorf("metadata.%s is not an object", field)
	}
	return nil
}

// GroupKind returns the kind of the object.
func (id ID) GroupKind() schema.GroupKind { return schema.GroupKind{Group: id.Group, Kind: id.Kind} }

// IsSecret reports whether the values of the object are confidential: they must not appear in a message, a status or
// a digest.
func (id ID) IsSecret() bool { return id.Group == "" && id.Kind == "Secret" }

// IsSecretKind reports whether an apiVersion and a kind are those of Secrets, whose version does not matter.
func IsSecretKind(apiVersion, kind string) bool {
	return kind == "Secret" && !strings.Contains(apiVersion, "/")
}

// String returns the ID for users: "apps/Deployment shop/web", "Namespace shop".
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

// Compare orders IDs by group, kind, namespace and name.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		cmp.Compare(id.Group, other.Group),
		cmp.Compare(id.Kind, other.Kind),
		cmp.Compare(id.Namespace, other.Namespace),
		cmp.Compare(id.Name, other.Name),
	)
}

// Entry returns the inventory form "<namespace>_<name>_<group>_<kind>" of Flux and cli-utils. As there, a colon in a
// name (RBAC) becomes a double underscore.
func (id ID) Entry() string {
	return id.Namespace + "_" + strings.ReplaceAll(id.Name, ":", "__") + "_" + id.Group + "_" + id.Kind
}

// ParseEntry parses the result of Entry.
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

// Origin is the position of a manifest, or of a field, in a source.
type Origin struct {
	Source string `json:"source,omitempty"` // name of the source in the Federation; empty if there is only one
	Path   string `json:"path,omitempty"`   // slash-separated, relative to the root of the tree
	Line   int    `json:"line,omitempty"`   // 1-based; 0 if unknown (objects that kustomize generated)
	Column int    `json:"column,omitempty"` // 1-based, in characters; 0 if unknown (whole manifests)
}

// Compare orders places by source, path and line.
func (o Origin) Compare(other Origin) int {
	return cmp.Or(cmp.Compare(o.Source, other.Source), cmp.Compare(o.Path, other.Path), cmp.Compare(o.Line, other.Line))
}

// String returns "policies/web.yaml:14": path and line without the column, preceded by the source if there are
// several: "apps//policies/web.yaml:14".
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
	Message string // the mistake and the expectation, with the nearest valid name if there is one
}

// Error returns "policies/web.yaml:14: unknown field ...", and the message alone if the mistake has no place.
func (e *Error) Error() string {
	if e.Origin == (Origin{}) {
		return e.Message
	}
	return e.Origin.String() + ": " + e.Message
}
