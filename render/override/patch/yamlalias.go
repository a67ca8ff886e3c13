package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// release makes everything that refers to node, or to something in it, a copy of its own: node is about to go.
func (e *yamlEdit) release(node *yaml.Node) {
	e.releaseAliases(node)
	for _, child := range node.Content {
		e.release(child)
	}
}

// releaseAliases replaces the aliases of one node by copies: it is about to change, and they are not, as when Karmada
// patches the values that the text means.
func (e *yamlEdit) releaseAliases(node *yaml.Node) {
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

// copyOf is what a node or an alias means, without an anchor and without a place in the text.
func copyOf(node *yaml.Node) *yaml.Node {
	source := meant(node)
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

// ownMerged makes the member of a map that it has through its merge key ("<<") its own, if there is one. Its own members
// come before merged ones, so the merge key can stay, unless the member is to be removed: then all are written out.
func ownMerged(node *yaml.Node, key string, remove bool) {
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

// mergedMaps are the maps that the value of a merge key names, one or a list of them, each before those it merges
// itself. seen are the ones that are known already.
func mergedMaps(value *yaml.Node, seen map[*yaml.Node]bool) []*yaml.Node {
	if value = meant(value); seen[value] {
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

// meant is what an alias stands for.
func meant(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
