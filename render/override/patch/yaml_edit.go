package patch

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// yamlEdit applies a patch to the nodes of one document.
type yamlEdit struct {
	*Patch
	doc   *yaml.Node
	lines []string
	trail []yamlEntry // from the root to the field
	old   *yaml.Node  // the replaced value, if any
}

// yamlEntry is one member of a map or one item of a list, with its lines.
type yamlEntry struct {
	in          *yaml.Node // the map or list
	at          int        // index of the value in the Content of in; the key is at the index before
	top, bottom int        // lines from 0, bottom excluded; top is -1 if the entry has no lines of its own
}

// editNodes applies the patch to the nodes and records the trail.
func (e *yamlEdit) editNodes() error {
	if len(e.keys) == 0 {
		value, err := e.node()
		if err != nil {
			return err
		}
		e.detach(e.doc.Content[0])
		e.doc.Content[0] = value
		return nil
	}
	node, bottom := e.doc.Content[0], len(e.lines)
	if node.Style&yaml.FlowStyle != 0 {
		e.trail = append(e.trail, yamlEntry{in: e.doc, top: node.Line - 1, bottom: bottom})
	}
	for depth := range e.keys {
		e.detachAliases(node)
		if node.Kind != yaml.MappingNode && node.Kind != yaml.SequenceNode {
			return e.notContainerError(depth)
		}
		at, err := e.find(node, depth)
		if err != nil {
			return err
		}
		entry := entryOf(node, at, bottom)
		e.trail = append(e.trail, entry)
		if e.isLast(depth) {
			return e.edit(node, at)
		}
		if child := node.Content[at]; child.Kind == yaml.AliasNode {
			node.Content[at] = copyOf(child)
		}
		node, bottom = node.Content[at], entry.bottom
	}
	return nil
}

// find returns the index in node.Content of the value that the key at depth selects. For a value to add, it returns the
// length of Content.
func (e *yamlEdit) find(node *yaml.Node, depth int) (int, error) {
	if node.Kind == yaml.SequenceNode {
		return e.index(len(node.Content), depth)
	}
	key := unescape(e.keys[depth])
	at, err := memberAt(node, key)
	if err != nil {
		return 0, fmt.Errorf("%w at %q", err, e.pointer(depth))
	}
	if at < 0 {
		inlineMerged(node, key, e.Operator == "remove" && e.isLast(depth))
		at, _ = memberAt(node, key)
	}
	if at < 0 {
		return len(node.Content), e.requireKey(false, depth)
	}
	return at, nil
}

// memberAt returns the index of the value of a key, -1 if there is none.
func memberAt(node *yaml.Node, key string) (int, error) {
	at := -1
	for i := 1; i < len(node.Content); i += 2 {
		if k := node.Content[i-1]; k.Kind != yaml.ScalarNode || k.Value != key {
			continue
		}
		if at >= 0 {
			return 0, fmt.Errorf("duplicate key %q", key)
		}
		at = i
	}
	return at, nil
}

// edit adds, replaces or removes the value at an index of node.Content.
func (e *yamlEdit) edit(node *yaml.Node, at int) error {
	if e.Operator == "remove" {
		e.detach(node.Content[at])
		removeFrom(node, at)
		return nil
	}
	value, err := e.node()
	if err != nil {
		return err
	}
	switch {
	case e.IndexShift > 0:
		node.Content = slices.Insert(node.Content, at, value)
	case at < len(node.Content):
		e.detach(node.Content[at])
		e.old = node.Content[at]
		keepStyle(value, e.old)
		node.Content[at] = value
	default:
		key := stringNode(unescape(e.keys[len(e.keys)-1]))
		node.Content = append(node.Content, key, value)
		e.trail[len(e.trail)-1].at++
	}
	return nil
}

// removeFrom removes a value and its key. It keeps the comments before them, which may be about more than the value.
func removeFrom(node *yaml.Node, at int) {
	from := at
	if node.Kind == yaml.MappingNode {
		from--
	}
	head, foot := node.Content[from].HeadComment, node.Content[from].FootComment
	node.Content = slices.Delete(node.Content, from, at+1)
	switch {
	case from < len(node.Content):
		next := node.Content[from]
		next.HeadComment = joinComments(head, foot, next.HeadComment)
	case len(node.Content) > 0:
		step := 1
		if node.Kind == yaml.MappingNode {
			step = 2
		}
		last := node.Content[len(node.Content)-step]
		last.FootComment = joinComments(last.FootComment, head, foot)
	}
}

// entryOf returns an entry with its lines; bottom is the end of node.
func entryOf(node *yaml.Node, at, bottom int) yamlEntry {
	entry := yamlEntry{in: node, at: at, top: -1, bottom: bottom}
	if node.Style&yaml.FlowStyle != 0 || node.Line == 0 {
		return entry
	}
	first, next := at, at+1
	if node.Kind == yaml.MappingNode {
		first, next = at-1, at+1
	}
	if at < len(node.Content) && node.Content[first].Line > 0 {
		entry.top = node.Content[first].Line - 1
	}
	if next < len(node.Content) && node.Content[next].Line > 0 {
		entry.bottom = node.Content[next].Line - 1
	}
	return entry
}
