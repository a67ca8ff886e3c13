package override

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/render/override/patch"
)

// Between returns the overriders that turn one object into another, the reverse of Apply. It expresses labels, annotations and parts of
// images by their own overriders, and everything else as a JSON Patch. The caller proves the result with Apply: overriders cannot
// change the version or the name of an object.
func Between(from, to *unstructured.Unstructured) policy.Overriders {
	d := difference{}
	d.LabelsOverrider = metadataBetween(from.GetLabels(), to.GetLabels())
	d.AnnotationsOverrider = metadataBetween(from.GetAnnotations(), to.GetAnnotations())
	d.images(from, to)
	for _, name := range keysOf(from.Object, to.Object) {
		before, after := from.Object[name], to.Object[name]
		if name == "metadata" {
			before, after = withoutMaps(before), withoutMaps(after)
		}
		d.value("/"+patch.Escape(name), before, after)
	}
	return d.Overriders
}

// withoutMaps returns metadata without labels and annotations.
func withoutMaps(metadata any) any {
	m, ok := metadata.(map[string]any)
	if !ok {
		return metadata
	}
	m = maps.Clone(m)
	delete(m, "labels")
	delete(m, "annotations")
	return m
}

// metadataBetween returns the changes of labels or annotations.
func metadataBetween(from, to map[string]string) (all []policy.MetadataOverrider) {
	added, removed := map[string]string{}, map[string]string{}
	for key, value := range to {
		if old, ok := from[key]; !ok || old != value {
			added[key] = value
		}
	}
	for key, value := range from {
		if _, ok := to[key]; !ok {
			removed[key] = value
		}
	}
	if len(added) > 0 {
		all = append(all, policy.MetadataOverrider{Operator: "add", Value: added})
	}
	if len(removed) > 0 {
		all = append(all, policy.MetadataOverrider{Operator: "remove", Value: removed})
	}
	return all
}

// difference collects overriders. done are the JSON pointers of the values that other overriders than the patch change.
type difference struct {
	policy.Overriders
	done []string
}

// images expresses the changes of images in containers with the same position and name.
func (d *difference) images(from, to *unstructured.Unstructured) {
	before, err := containersOf(from)
	after, err2 := containersOf(to)
	if err != nil || err2 != nil || len(before) != len(after) {
		return
	}
	edits := make([][]policy.ImageOverrider, len(before))
	changed, same := 0, true
	for i := range before {
		old, _ := before[i].fields["image"].(string)
		image, _ := after[i].fields["image"].(string)
		if before[i].name() != after[i].name() {
			return
		}
		if old == image {
			continue
		}
		if edits[i] = imageBetween(old, image); edits[i] == nil {
			continue // the patch changes it
		}
		changed++
		same = same && changed == i+1 && reflect.DeepEqual(edits[i], edits[0])
		d.done = append(d.done, before[i].pointer+"/image")
	}
	if same && changed == len(before) && changed > 0 {
		d.ImageOverrider = edits[0] // without a predicate it changes all of them
		return
	}
	for i, container := range before {
		for _, edit := range edits[i] {
			edit.Predicate = &policy.ImagePredicate{Path: container.pointer + "/image"}
			d.ImageOverrider = append(d.ImageOverrider, edit)
		}
	}
}

// imageBetween returns the changes of the parts of an image; nil if they cannot express it.
func imageBetween(from, to string) (edits []policy.ImageOverrider) {
	old, err := parseImage(from)
	image, err2 := parseImage(to)
	if err != nil || err2 != nil {
		return nil
	}
	replace := func(component, before, after string) {
		switch {
		case before == after:
		case after == "":
			edits = append(edits, policy.ImageOverrider{Component: component, Operator: "remove"})
		default:
			edits = append(edits, policy.ImageOverrider{Component: component, Operator: "replace", Value: after})
		}
	}
	replace("Registry", old.registry, image.registry)
	replace("Repository", old.repository, image.repository)
	if old.digest != image.digest && image.tag == "" {
		replace("Tag", old.digest, image.digest)
	} else {
		replace("Tag", old.tag, image.tag)
	}
	result := from
	for _, e := range edits {
		if result, err = editImage(result, e.Component, e.Operator, e.Value); err != nil {
			return nil
		}
	}
	if result != to {
		return nil
	}
	return edits
}

// value adds the operations that turn one value into another.
func (d *difference) value(pointer string, from, to any) {
	if slices.Contains(d.done, pointer) || reflect.DeepEqual(from, to) {
		return
	}
	if to == nil {
		d.patch(pointer, "remove", nil)
		return
	}
	if from == nil {
		d.patch(pointer, "add", to)
		return
	}
	switch before := from.(type) {
	case map[string]any:
		if after, ok := to.(map[string]any); ok {
			for _, name := range keysOf(before, after) {
				d.value(pointer+"/"+patch.Escape(name), before[name], after[name])
			}
			return
		}
	case []any:
		if after, ok := to.([]any); ok && sameNames(before, after) {
			for i := range before {
				d.value(pointer+"/"+strconv.Itoa(i), before[i], after[i])
			}
			return
		}
	}
	d.patch(pointer, "replace", to)
}

func (d *difference) patch(pointer, operator string, value any) {
	o := policy.PlaintextOverrider{Path: pointer, Operator: operator}
	if operator != "remove" {
		raw, err := json.Marshal(value)
		if err != nil {
			return // values of manifests have JSON
		}
		o.Value = &apiextensionsv1.JSON{Raw: raw}
	}
	d.Plaintext = append(d.Plaintext, o)
}

// sameNames reports whether two lists have objects of the same names in the same order.
func sameNames(before, after []any) bool {
	return slices.EqualFunc(before, after, func(a, b any) bool {
		one, ok := a.(map[string]any)
		other, ok2 := b.(map[string]any)
		return ok && ok2 && one["name"] != nil && one["name"] == other["name"]
	})
}

// keysOf returns the names of the fields of two objects, sorted.
func keysOf(a, b map[string]any) []string {
	all := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
