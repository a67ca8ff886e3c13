package unrender

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/accord-dev/accord/api/manifest"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Written is the fields of a live object that its users wrote in their manifests, as far as the object shows it: a server-side apply
// records the fields of the manifest, and kubectl apply the manifest itself. Other clients leave no trace, because a field manager of
// an update owns the defaults, too.
type Written struct {
	sets    []*fieldpath.Set
	applied []any
	all     bool // the value above is atomic, and a user wrote it
}

// WrittenIn reads the traces of the manifests in a live object.
func WrittenIn(live *unstructured.Unstructured) Written {
	w := Written{}
	for _, entry := range live.GetManagedFields() {
		if entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		set := &fieldpath.Set{}
		if set.FromJSON(bytes.NewReader(entry.FieldsV1.Raw)) == nil { // a set that cannot be read is no trace
			w.sets = append(w.sets, set)
		}
	}
	var applied any
	if text := manifest.Annotation(live, lastApplied); text != "" && json.Unmarshal([]byte(text), &applied) == nil {
		w.applied = append(w.applied, applied)
	}
	return w
}

// Union returns the fields that users wrote in one of two objects.
func (w Written) Union(other Written) Written {
	return Written{sets: slices.Concat(w.sets, other.sets), applied: slices.Concat(w.applied, other.applied), all: w.all || other.all}
}

// Known reports whether the object shows anything about its manifests.
func (w Written) Known() bool { return w.Has() || len(w.sets) > 0 }

// Has reports whether users wrote the value.
func (w Written) Has() bool { return w.all || len(w.applied) > 0 }

// Field returns the part of a field.
func (w Written) Field(name string) Written {
	next := Written{all: w.all}
	for _, set := range w.sets {
		next.add(set, fieldpath.FieldNameElement(name))
	}
	for _, applied := range w.applied {
		if m, ok := applied.(map[string]any); ok && m[name] != nil {
			next.applied = append(next.applied, m[name])
		}
	}
	return next
}

// Item returns the part of an item of a list. kubectl merges most lists by a key: the item has the same name, or else the same position.
func (w Written) Item(i int, item any) Written {
	next := Written{all: w.all}
	for _, set := range w.sets {
		for e := range elements(set) {
			if matches(e, i, item) {
				next.add(set, e)
			}
		}
	}
	for _, applied := range w.applied {
		if same := sameItem(applied, i, item); same != nil {
			next.applied = append(next.applied, same)
		}
	}
	return next
}

// add adds an element of a set. A member without children is a leaf, or an atomic map or list.
func (w *Written) add(set *fieldpath.Set, e fieldpath.PathElement) {
	children, inside := set.Children.Get(e)
	if inside {
		w.sets = append(w.sets, children)
	} else if set.Members.Has(e) {
		w.all = true
	}
}

// elements iterates over the elements of a set.
func elements(set *fieldpath.Set) func(func(fieldpath.PathElement) bool) {
	return func(yield func(fieldpath.PathElement) bool) {
		for e := range set.Members.All() {
			if !yield(e) {
				return
			}
		}
		for e := range set.Children.All() {
			if !set.Members.Has(e) && !yield(e) {
				return
			}
		}
	}
}

// matches reports whether an element of a set is an item of a list.
func matches(e fieldpath.PathElement, i int, item any) bool {
	switch {
	case e.Index != nil:
		return *e.Index == i
	case e.Value != nil:
		return value.Equals(*e.Value, value.NewValueInterface(item))
	case e.Key != nil:
		object, ok := item.(map[string]any)
		if !ok {
			return false
		}
		for _, field := range *e.Key {
			if !value.Equals(field.Value, value.NewValueInterface(object[field.Name])) {
				return false
			}
		}
		return true
	}
	return false
}

// sameItem returns the item of a list in a manifest that became an item of a live list.
func sameItem(list any, i int, item any) any {
	items, _ := list.([]any)
	object, _ := item.(map[string]any)
	if name, ok := object["name"]; ok {
		for _, candidate := range items {
			if c, ok := candidate.(map[string]any); ok && reflect.DeepEqual(c["name"], name) {
				return c
			}
		}
		return nil
	}
	if i < len(items) {
		return items[i]
	}
	return nil
}
