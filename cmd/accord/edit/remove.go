package edit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Remove is the file without a field of the manifest, and without what would be left empty above it. Path is as for Get;
// a field that is not there is an error.
func (m Manifest) Remove(path ...string) ([]byte, error) {
	if _, there := m.Get(path...); !there {
		return nil, fmt.Errorf("%s is not there", strings.Join(path, "."))
	}
	path = m.alone(path)
	e := newEditor(m.file)
	if err := e.remove(m.root, e.whole(m), path); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return m.checked(e.text(), func(at *yaml.Node) { drop(at, path) })
}

// alone is the shortest path to what has nothing but the field in it.
func (m Manifest) alone(path []string) []string {
	for len(path) > 1 {
		above := m.root
		for _, step := range path[:len(path)-1] {
			above = value(above, step)
		}
		if above.Kind != yaml.MappingNode || len(above.Content) != 2 {
			return path
		}
		path = path[:len(path)-1]
	}
	return path
}

func (e *editor) remove(node *yaml.Node, in *span, path []string) error {
	if flow(node) {
		e.rewrite(in, nil, path)
		return nil
	}
	if node.Kind == yaml.SequenceNode {
		item := value(node, path[0])
		return e.remove(item, e.item(item), path[1:])
	}
	i := position(node, path[0])
	if entry := e.entry(node, i); len(path) > 1 {
		return e.remove(node.Content[i+1], entry, path[1:])
	}
	e.cut(node, i)
	return nil
}

// drop changes nodes as Remove changes text.
func drop(at *yaml.Node, path []string) {
	for ; len(path) > 1; path = path[1:] {
		at = value(at, path[0])
	}
	i := position(at, path[0])
	at.Content = append(at.Content[:i:i], at.Content[i+2:]...)
}
