package edit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Set is the file with a field of the manifest set: a string, or what yaml marshals. What is missing on the way to it is
// made, but for items of a list. Path is as for Get.
func (m Manifest) Set(to any, path ...string) ([]byte, error) {
	wanted := &yaml.Node{}
	if err := wanted.Encode(to); err != nil {
		return nil, fmt.Errorf("writing %s: %w", strings.Join(path, "."), err)
	}
	e := newEditor(m.file)
	if err := e.set(m.root, e.whole(m), wanted, path); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return m.checked(e.text(), func(at *yaml.Node) { put(at, wanted, path) })
}

// set walks down as long as each field has lines of its own. in is the entry or item that the node is the value of.
func (e *editor) set(node *yaml.Node, in *span, wanted *yaml.Node, path []string) error {
	if node.Kind == yaml.SequenceNode {
		item := value(node, path[0])
		if item == nil {
			return fmt.Errorf("there is no %q", path[0])
		}
		if flow(node) {
			e.rewrite(in, wanted, path)
			return nil
		}
		return e.set(item, e.item(item), wanted, path[1:])
	}
	if node.Kind != yaml.MappingNode && node.Tag != "!!null" {
		return fmt.Errorf("%q is no field of a text", path[0])
	}
	if flow(node) || len(node.Content) == 0 {
		e.rewrite(in, wanted, path)
		return nil
	}
	i := position(node, path[0])
	if i < 0 {
		e.insert(node, nest(wanted, path))
		return nil
	}
	entry := e.entry(node, i)
	if len(path) == 1 {
		e.rewrite(entry, wanted, nil)
		return nil
	}
	return e.set(node.Content[i+1], entry, wanted, path[1:])
}

// flow says that a node is written in braces or brackets.
func flow(node *yaml.Node) bool { return node.Style&yaml.FlowStyle != 0 }

// nest is the mapping {path[0]: {path[1]: ... wanted}}.
func nest(wanted *yaml.Node, path []string) *yaml.Node {
	for i := len(path) - 1; i >= 0; i-- {
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[i]}
		wanted = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, wanted}}
	}
	return wanted
}

// put changes nodes as Set changes text.
func put(at, wanted *yaml.Node, path []string) {
	for ; len(path) > 1; path = path[1:] {
		next := value(at, path[0])
		if next == nil || next.Tag == "!!null" {
			break
		}
		at = next
	}
	made := nest(wanted, path)
	switch i := position(at, path[0]); {
	case at.Kind != yaml.MappingNode: // null
		*at = *made
	case i >= 0:
		at.Content[i+1] = made.Content[1]
	default:
		at.Content = append(at.Content, made.Content...)
	}
}
