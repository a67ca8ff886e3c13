package override

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

// writeOutMerged makes the members that a map has through its merge key ("<<") its own, if key is one of them. Those it
// has itself come first, and of several merged maps the first; what these merge themselves stays merged.
func writeOutMerged(node *yaml.Node, key string) bool {
	merged, err := memberAt(node, "<<")
	if err != nil || merged < 0 || node.Content[merged-1].ShortTag() != "!!merge" {
		return false
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Content: slices.Delete(slices.Clone(node.Content), merged-1, merged+1)}
	for _, m := range mergedMaps(node.Content[merged]) {
		for i := 1; i < len(m.Content); i += 2 {
			if at, err := memberAt(out, m.Content[i-1].Value); err == nil && at < 0 {
				out.Content = append(out.Content, copyOf(m.Content[i-1]), copyOf(m.Content[i]))
			}
		}
	}
	if at, err := memberAt(out, key); err != nil || at < 0 {
		return false
	}
	node.Content = out.Content
	return true
}

// mergedMaps are the maps that the value of a merge key names: one, or a list of them.
func mergedMaps(value *yaml.Node) []*yaml.Node {
	value = meant(value)
	if value.Kind == yaml.MappingNode {
		return []*yaml.Node{value}
	}
	var maps []*yaml.Node
	for _, item := range value.Content {
		if item = meant(item); item.Kind == yaml.MappingNode {
			maps = append(maps, item)
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
