package render

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// objects reads all objects of a file of YAML or JSON. Empty documents are left out and Lists are taken apart. The
// error joins one *manifest.Error for every document that is wrong.
func (f file) objects(data []byte) ([]Object, error) {
	data, err := f.normalize(data)
	if err != nil {
		return nil, err
	}
	var objects []Object
	var errs []error
	for _, d := range split(data) {
		found, err := f.document(d)
		objects, errs = append(objects, found...), append(errs, err)
	}
	return objects, errors.Join(errs...)
}

func (f file) document(d document) ([]Object, error) {
	node, err := f.parse(d)
	if err != nil || node == nil {
		return nil, err
	}
	decoder := &decoder{file: f, offset: d.line - 1}
	value, err := decoder.value(node, 0)
	if err != nil {
		return nil, err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, f.errorf(d.line, "is not a Kubernetes object: expected a mapping with apiVersion and kind")
	}
	if items, ok := fields["items"].([]any); ok && isList(fields) {
		return decoder.list(lookup(node, "items"), items)
	}
	if err := decoder.check(node, fields); err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: fields}
	return []Object{{Manifest: u, Origin: f.at(d.line), Text: d.text, Digest: Digest(u)}}, nil
}

// isList says whether it is a List or one of the typed lists that "kubectl get -o yaml" writes.
func isList(fields map[string]any) bool {
	kind, _ := fields["kind"].(string)
	metadata, _ := fields["metadata"].(map[string]any)
	return strings.HasSuffix(kind, "List") && metadata["name"] == nil
}

func (d *decoder) list(node *yaml.Node, items []any) ([]Object, error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	var objects []Object
	var errs []error
	for i, item := range items {
		at := node
		if node.Kind == yaml.SequenceNode { // else they came in by a merge key
			at = node.Content[i]
		}
		fields, ok := item.(map[string]any)
		if !ok {
			errs = append(errs, d.errorf(at, "items[%d] is not a Kubernetes object", i))
			continue
		}
		if err := d.check(at, fields); err != nil {
			errs = append(errs, err)
			continue
		}
		u := &unstructured.Unstructured{Object: fields}
		objects = append(objects, Object{Manifest: u, Origin: d.file.at(at.Line + d.offset), Digest: Digest(u)})
	}
	return objects, errors.Join(errs...)
}

// check refuses what cannot be an object that is applied. What a kind's own fields may be is for the API server to say.
func (d *decoder) check(node *yaml.Node, fields map[string]any) error {
	fail := func(path []string, format string, args ...any) error {
		return d.errorf(lookup(node, path...), format, args...)
	}
	apiVersion, _ := fields["apiVersion"].(string)
	kind, _ := fields["kind"].(string)
	if apiVersion == "" || kind == "" {
		return fail(nil, "is not a Kubernetes object: apiVersion and kind are required, and strings")
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return fail([]string{"apiVersion"}, "apiVersion %q is not <group>/<version>", apiVersion)
	}
	if gv.Group == "kustomize.config.k8s.io" {
		return fail([]string{"kind"}, "is a %s, which must be in a file named kustomization.yaml", kind)
	}
	metadata, ok := fields["metadata"].(map[string]any)
	if !ok {
		return fail([]string{"metadata"}, "%s has no metadata with a name", kind)
	}
	name, _ := metadata["name"].(string)
	if name == "" {
		return fail([]string{"metadata", "name"}, "%s has no metadata.name%s", kind, nameless(metadata))
	}
	if len(name) > MaxNameBytes {
		return fail([]string{"metadata", "name"}, "metadata.name has %d characters, at most %d are allowed", len(name), MaxNameBytes)
	}
	if namespace, is := metadata["namespace"].(string); !is && metadata["namespace"] != nil || len(namespace) > MaxNameBytes {
		return fail([]string{"metadata", "namespace"}, "metadata.namespace is not a name")
	}
	if _, encrypted := fields["sops"].(map[string]any); encrypted {
		return fail([]string{"sops"}, "%s %s is SOPS-encrypted; accord cannot decrypt it", kind, name)
	}
	return errors.Join(checkStrings(metadata, "labels", fail), checkStrings(metadata, "annotations", fail))
}

// nameless says why an object without a name has none.
func nameless(metadata map[string]any) string {
	switch {
	case metadata["generateName"] != nil:
		return ": generateName would make a new object on every apply"
	case metadata["name"] != nil:
		return fmt.Sprintf(" that is a string: %v (quote it)", metadata["name"])
	}
	return ""
}

// checkStrings checks a map of metadata whose values must be strings.
func checkStrings(metadata map[string]any, field string, fail func([]string, string, ...any) error) error {
	if metadata[field] == nil {
		return nil
	}
	values, ok := metadata[field].(map[string]any)
	if !ok {
		return fail([]string{"metadata", field}, "metadata.%s is not a map of strings", field)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if _, ok := values[key].(string); !ok {
			return fail([]string{"metadata", field, key}, "metadata.%s has %q: %v, which is not a string; quote it", field, key, values[key])
		}
	}
	return nil
}
