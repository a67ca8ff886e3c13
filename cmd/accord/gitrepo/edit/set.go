package edit

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/accord-dev/accord/render/override/patch"
)

// Set returns the file with a field of the manifest set to a value: a string, or a value that yaml can marshal. It makes
// the maps above the field that are missing, but no items of a list. Path is as for Get.
func (m Manifest) Set(to any, path ...string) ([]byte, error) {
	value := &yaml.Node{}
	if err := value.Encode(to); err != nil {
		return nil, fmt.Errorf("writing %s: %w", strings.Join(path, "."), err)
	}
	text, err := m.set(value, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return text, nil
}

func (m Manifest) set(value *yaml.Node, path []string) ([]byte, error) {
	node := m.root
	for i, step := range path {
		at := position(node, step)
		switch {
		case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
			return m.patch("replace", path[:i], nest(value, path[i:]))
		case node.Kind == yaml.MappingNode && at < 0:
			return m.patch("add", path[:i+1], nest(value, path[i+1:]))
		case node.Kind == yaml.SequenceNode && at < 0:
			return nil, fmt.Errorf("there is no item %q", step)
		case at < 0:
			return nil, fmt.Errorf("%q cannot be set below a value that is not a map", step)
		}
		node = node.Content[at]
	}
	return m.patch("replace", path, value)
}

// Remove returns the file without a field of the manifest, and without the maps above the field that would be left empty.
// Path is as for Get. A field that is not there is an error.
func (m Manifest) Remove(path ...string) ([]byte, error) {
	if _, there := m.Get(path...); !there {
		return nil, fmt.Errorf("%s is not there", strings.Join(path, "."))
	}
	text, err := m.patch("remove", m.outermost(path), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return text, nil
}

// outermost returns the shortest path to a map that contains the field and nothing else.
func (m Manifest) outermost(path []string) []string {
	for len(path) > 1 {
		above := m.at(path[:len(path)-1])
		if above.Kind != yaml.MappingNode || len(above.Content) != 2 {
			return path
		}
		path = path[:len(path)-1]
	}
	return path
}

// AddItem returns the file with a value behind the items of a list. It makes the list if there is none. Path is as for Get.
func (m Manifest) AddItem(to any, path ...string) ([]byte, error) {
	if list := m.at(path); list == nil || len(list.Content) == 0 {
		return m.Set([]any{to}, path...)
	}
	return m.patchItem("add", "-", to, path)
}

// ReplaceItem returns the file with a value in place of an item of a list.
func (m Manifest) ReplaceItem(i int, to any, path ...string) ([]byte, error) {
	return m.patchItem("replace", strconv.Itoa(i), to, path)
}

// RemoveItem returns the file without an item of a list, and without the list if no other item is left.
func (m Manifest) RemoveItem(i int, path ...string) ([]byte, error) {
	if list := m.at(path); list != nil && len(list.Content) == 1 {
		return m.Remove(path...)
	}
	return m.patchItem("remove", strconv.Itoa(i), nil, path)
}

// patchItem applies one operation to an item of a list.
func (m Manifest) patchItem(operator, index string, to any, path []string) ([]byte, error) {
	var value *yaml.Node
	if to != nil {
		value = &yaml.Node{}
		if err := value.Encode(to); err != nil {
			return nil, fmt.Errorf("writing an item of %s: %w", strings.Join(path, "."), err)
		}
	}
	text, err := m.patchAt(operator, m.pointer(path)+"/"+index, value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return text, nil
}

// patch applies one operation to the text of the document that the manifest is in.
func (m Manifest) patch(operator string, path []string, value *yaml.Node) ([]byte, error) {
	return m.patchAt(operator, m.pointer(path), value)
}

// patchAt is patch for a JSON pointer in the document.
func (m Manifest) patchAt(operator, pointer string, value *yaml.Node) ([]byte, error) {
	p := patch.Patch{Operator: operator, Path: pointer, Value: value}
	text, err := p.YAMLAt(string(m.file), m.document.Line)
	return []byte(text), err
}

// pointer returns the JSON pointer of a path in the document.
func (m Manifest) pointer(path []string) string {
	var b strings.Builder
	if m.item >= 0 {
		fmt.Fprintf(&b, "/items/%d", m.item)
	}
	node := m.root
	for _, step := range path {
		at := position(node, step)
		if node.Kind == yaml.SequenceNode {
			step = strconv.Itoa(at)
		}
		b.WriteString("/" + patch.Escape(step))
		if at >= 0 {
			node = node.Content[at]
		}
	}
	return b.String()
}

// nest returns the map {path[0]: {path[1]: ... value}}.
func nest(value *yaml.Node, path []string) *yaml.Node {
	for i := len(path) - 1; i >= 0; i-- {
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[i]}
		value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, value}}
	}
	return value
}
