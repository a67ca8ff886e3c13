package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// detach replaces all aliases of node, and of nodes in it, by copies, because node is about to be removed.
func (e *yamlEdit) detach(node *yaml.Node) {
	e.detachAliases(node)
	for _, child := range node.Content {
		e.detach(child)
	}
}

// detachAliases replaces the aliases of one node by copies, because node is about to change. The aliases keep their
// value, as in Karmada, which patches decoded values.
func (e *yamlEdit) detachAliases(node *yaml.Node) {
	if node.Anchor != "" {
		replaceAliases(e.doc, node)
		node.Anchor = ""
	}
}

func replaceAliases(in, target *yaml.Node) {
	for i, child := range in.Content {
		if child.Kind == yaml.AliasNode && child.Alias == target {
			in.Content[i] = copyOf(child)
			continue
		}
		replaceAliases(child, target)
	}
}

// copyOf returns a copy of a node or of the target of an alias, without an anchor and without a line.
func copyOf(node *yaml.Node) *yaml.Node {
	source := resolveAlias(node)
	copied := *source
	if source != node {
		copied.LineComment = node.LineComment
	}
	copied.Anchor, copied.Line, copied.Column = "", 0, 0
	copied.Content = make([]*yaml.Node, len(source.Content))
	for i, child := range source.Content {
		if child.Kind == yaml.AliasNode {
			alias := *child
			alias.Line, alias.Column = 0, 0
			copied.Content[i] = &alias
			continue
		}
		copied.Content[i] = copyOf(child)
	}
	return &copied
}

// inlineMerged copies a member that a map inherits through its merge key ("<<") into the map. Own members take
// precedence, so the merge key can stay. If the member is to be removed, all inherited members are copied and the merge
// key is dropped.
func inlineMerged(node *yaml.Node, key string, remove bool) {
	at, err := memberAt(node, "<<")
	if err != nil || at < 0 || node.Content[at-1].ShortTag() != "!!merge" {
		return
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Content: slices.Delete(slices.Clone(node.Content), at-1, at+1)}
	for _, m := range mergedMaps(node.Content[at], map[*yaml.Node]bool{node: true}) {
		for i := 1; i < len(m.Content); i += 2 {
			name := m.Content[i-1]
			if has, err := memberAt(out, name.Value); err == nil && has < 0 && name.ShortTag() != "!!merge" {
				out.Content = append(out.Content, copyOf(name), copyOf(m.Content[i]))
			}
		}
	}
	own, err := memberAt(out, key)
	switch {
	case err != nil || own < 0:
	case remove:
		node.Content = out.Content
	default:
		node.Content = append(node.Content, out.Content[own-1], out.Content[own])
	}
}

// mergedMaps returns the maps that the value of a merge key names, one or a list, each before the maps that it merges
// itself. It skips the maps in seen.
func mergedMaps(value *yaml.Node, seen map[*yaml.Node]bool) []*yaml.Node {
	if value = resolveAlias(value); seen[value] {
		return nil
	}
	seen[value] = true
	var maps []*yaml.Node
	switch value.Kind {
	case yaml.MappingNode:
		maps = append(maps, value)
		if at, err := memberAt(value, "<<"); err == nil && at > 0 {
			maps = append(maps, mergedMaps(value.Content[at], seen)...)
		}
	case yaml.SequenceNode:
		for _, item := range value.Content {
			maps = append(maps, mergedMaps(item, seen)...)
		}
	}
	return maps
}

// resolveAlias returns the target of an alias, or the node itself.
func resolveAlias(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
