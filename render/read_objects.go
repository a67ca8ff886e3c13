package render

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/builtin"
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/decode"
	"github.com/accord-dev/accord/render/mistake"
)

// readObjects returns all objects of a YAML or JSON file. It skips empty documents and expands Lists. The error joins one
// *manifest.Error per invalid document.
func readObjects(f decode.File, data []byte, in form) ([]Object, error) {
	data, err := f.Normalize(data)
	if err != nil {
		return nil, err
	}
	var objects []Object
	wrong := mistake.List{Limit: mistake.MaxFileErrors}
	for _, d := range decode.Split(data) {
		found, err := readDocument(f, d, in)
		if objects = append(objects, found...); !wrong.Add(err) {
			break
		}
	}
	return objects, wrong.Join(f.Errorf(0, "has %d mistakes or more; the rest of it was not read", mistake.MaxFileErrors))
}

func readDocument(f decode.File, d decode.Document, in form) ([]Object, error) {
	node, err := f.Parse(d)
	if err != nil || node == nil {
		return nil, err
	}
	decoder := &decode.Decoder{File: f, Offset: d.Line - 1, Sharing: in.parts}
	value, err := decoder.Value(node, 0)
	if err != nil {
		return nil, err
	}
	fields, ok := value.(map[string]any)
	if text, is := value.(string); is && strings.HasPrefix(text, lfsPointer) {
		return nil, f.Errorf(d.Line, "is a Git LFS pointer; accord does not read LFS: commit the file itself")
	}
	if !ok {
		return nil, f.Errorf(d.Line, "is not a Kubernetes object: expected a mapping with apiVersion and kind"+readElsewhere)
	}
	if items, ok := fields["items"].([]any); ok && isList(fields) {
		return readList(decoder, decode.Lookup(node, "items"), items, in)
	}
	if fields["kind"] == "List" {
		return nil, decoder.Errorf(decode.Lookup(node, "items"), "is a List, but items is not a list of objects")
	}
	if err := checkObject(decoder, node, fields); err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: fields}
	packed, digest := pack(u, in.texts)
	return []Object{{packed, &Written{Origin: f.At(d.Line), Text: d.Text, Digest: digest, id: idOf(u)}}}, nil
}

// readElsewhere is the advice about files beside the manifests.
const readElsewhere = "; read only the directories of your manifests: --path, or spec.sources[].path of the Federation"

// lfsPointer begins the files that Git LFS commits in place of the content.
const lfsPointer = "version https://git-lfs.github.com/spec/"

// isList reports whether fields are a List or a typed list as written by "kubectl get -o yaml".
func isList(fields map[string]any) bool {
	kind, _ := fields["kind"].(string)
	metadata, _ := fields["metadata"].(map[string]any)
	return strings.HasSuffix(kind, "List") && metadata["name"] == nil
}

func readList(d *decode.Decoder, node *yaml.Node, items []any, in form) ([]Object, error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	var objects []Object
	wrong := mistake.List{Limit: mistake.MaxFileErrors}
	repeated := map[string]int{} // how often each mistake occurs: all items of a list in one line may have the same one
	for i, item := range items {
		at := node
		if node.Kind == yaml.SequenceNode { // otherwise a merge key added the items
			at = node.Content[i]
		}
		fields, err := readItem(d, at, i, item)
		if err != nil {
			if repeated[err.Error()]++; repeated[err.Error()] > 1 || wrong.Add(err) {
				continue
			}
			break
		}
		u := &unstructured.Unstructured{Object: fields}
		packed, digest := pack(u, in.texts)
		objects = append(objects, Object{packed, &Written{Origin: d.File.At(at.Line + d.Offset), Digest: digest, id: idOf(u)}})
	}
	for _, err := range wrong.Errs {
		if mistake, is := errors.AsType[*manifest.Error](err); is && repeated[err.Error()] > 1 {
			mistake.Message += fmt.Sprintf(" (%d items of the list)", repeated[err.Error()])
		}
	}
	return objects, errors.Join(wrong.Errs...)
}

// readItem returns one object of a List.
func readItem(d *decode.Decoder, at *yaml.Node, i int, item any) (map[string]any, error) {
	fields, ok := item.(map[string]any)
	if !ok {
		return nil, d.Errorf(at, "items[%d] is not a Kubernetes object", i)
	}
	if _, list := fields["items"].([]any); list && isList(fields) {
		return nil, d.Errorf(at, "items[%d] is a %s in a List; put its objects into one List", i, fields["kind"])
	}
	return fields, checkObject(d, at, fields)
}

// checkObject rejects what an API server would reject when it decodes the object.
func checkObject(d *decode.Decoder, node *yaml.Node, fields map[string]any) error {
	if err := checkFields(d, node, fields); err != nil {
		return err
	}
	var wrong []error
	for _, m := range builtin.Check(&unstructured.Unstructured{Object: fields}) {
		at := decode.Lookup(node, m.Path...)
		hint := ""
		if at.Kind == yaml.ScalarNode {
			hint = decode.TemplateHint([]byte(at.Value))
		}
		wrong = append(wrong, d.Errorf(at, "%s%s", m.Message, hint))
	}
	return errors.Join(wrong...)
}

// checkFields rejects fields that no API server accepts for any kind.
func checkFields(d *decode.Decoder, node *yaml.Node, fields map[string]any) error {
	fail := func(path []string, format string, args ...any) error {
		return d.Errorf(decode.Lookup(node, path...), format, args...)
	}
	apiVersion, _ := fields["apiVersion"].(string)
	kind, _ := fields["kind"].(string)
	if apiVersion == "" || kind == "" {
		if path.Base(d.File.Origin.Path) == "Chart.yaml" {
			return fail(nil, "is a Helm chart, and accord renders no charts; read the output of \"helm template\" in another directory: --path, or spec.sources[].path of the Federation")
		}
		return fail(nil, "is not a Kubernetes object: apiVersion and kind are required and must be strings"+readElsewhere)
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || !isGroupVersion(gv) {
		return fail([]string{"apiVersion"}, "apiVersion %.100q is not <group>/<version>", apiVersion)
	}
	if !isKind(kind) {
		return fail([]string{"kind"}, "kind %.100q is not the name of a kind: letters and digits, 63 at most", kind)
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
		return fail([]string{"metadata", "name"}, "%s has no metadata.name%s", kind, missingNameHint(metadata))
	}
	if len(name) > MaxNameBytes {
		return fail([]string{"metadata", "name"}, "metadata.name has %d characters, at most %d are allowed", len(name), MaxNameBytes)
	}
	if wrong := nameError(name); wrong != "" {
		return fail([]string{"metadata", "name"}, "metadata.name %q %s", name, wrong)
	}
	namespace, is := metadata["namespace"].(string)
	if !is && metadata["namespace"] != nil {
		return fail([]string{"metadata", "namespace"}, "metadata.namespace is not a name")
	}
	if wrong := validation.IsDNS1123Label(namespace); namespace != "" && len(wrong) > 0 {
		return fail([]string{"metadata", "namespace"}, "metadata.namespace %.100q is not the name of a namespace: %s", namespace, wrong[0])
	}
	if _, encrypted := fields["sops"].(map[string]any); encrypted {
		return fail([]string{"sops"}, "%s %s is SOPS-encrypted; accord cannot decrypt it", kind, name)
	}
	return errors.Join(checkStrings(metadata, "labels", labelError, fail), checkStrings(metadata, "annotations", annotationError, fail))
}
