package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node returns a copy of the value of the patch.
func (p *Patch) node() (*yaml.Node, error) {
	if node, ok := p.Value.(*yaml.Node); ok {
		return copyOf(node), nil
	}
	return nodeOf(p.raw())
}

// nodeOf converts a JSON value to a YAML node in block style. Keys are sorted and numbers keep their digits.
func nodeOf(raw string) (*yaml.Node, error) {
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("value is not valid JSON: %w", err)
	}
	return toNode(value), nil
}

func toNode(value any) *yaml.Node {
	switch value := value.(type) {
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			node.Content = append(node.Content, stringNode(key), toNode(value[key]))
		}
		return node
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range value {
			node.Content = append(node.Content, toNode(item))
		}
		return node
	case string:
		return stringNode(value)
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(value)} // a json.Number or a bool
	node.Tag = node.ShortTag()
	return node
}

// stringNode returns a string node, quoted if YAML 1.1 or 1.2 would read it as another type.
func stringNode(s string) *yaml.Node {
	var node yaml.Node
	if err := node.Encode(s); err != nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
	}
	node.Line, node.Column = 0, 0
	return &node
}

// keepStyle copies the comments and the quotes of the old value to the new one.
func keepStyle(value, old *yaml.Node) {
	value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
	if len(value.Content) > 0 {
		value.LineComment = "" // it would stand between the key and the nested value
	}
	const quotes = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	if old.ShortTag() == "!!str" && value.ShortTag() == "!!str" && old.Style&quotes != 0 && value.Style&yaml.LiteralStyle == 0 {
		value.Style = old.Style & quotes
	}
	if old.Kind == value.Kind && len(old.Content) > 0 {
		value.Style = old.Style & yaml.FlowStyle
	}
}

func encodeYAML(node *yaml.Node, indent yamlIndent) (string, error) {
	unmarkMerges(node)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(indent.spaces)
	if indent.compact {
		enc.CompactSeqIndent()
	}
	if err := enc.Encode(node); err != nil {
		return "", err
	}
	if err := enc.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}

// unmarkMerges removes the tag of merge keys, which the encoder would print.
func unmarkMerges(node *yaml.Node) {
	if node.Tag == "!!merge" && node.Style&yaml.TaggedStyle == 0 {
		node.Tag = ""
	}
	for _, child := range node.Content {
		unmarkMerges(child)
	}
}

// sameNode reports whether two nodes are equal regardless of style.
func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || tagOf(a) != tagOf(b) || a.Value != b.Value || a.Anchor != b.Anchor {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, sameNode)
}

// tagOf returns the tag of a node, also for a merge key without its tag.
func tagOf(node *yaml.Node) string {
	if node.Tag == "" && node.Kind == yaml.ScalarNode && node.Style == 0 && node.Value == "<<" {
		return "!!merge"
	}
	return node.ShortTag()
}

// commentsOf returns the lines of all comments in a node, sorted.
func commentsOf(node *yaml.Node) []string {
	var lines []string
	collectComments(node, &lines)
	slices.Sort(lines)
	return lines
}

func collectComments(node *yaml.Node, lines *[]string) {
	for _, comment := range []string{node.HeadComment, node.LineComment, node.FootComment} {
		for line := range strings.Lines(comment) {
			if line = strings.TrimSpace(line); line != "" {
				*lines = append(*lines, line)
			}
		}
	}
	for _, child := range node.Content {
		collectComments(child, lines)
	}
}

// containsAll reports whether a sorted list contains all of another sorted list, with repetitions.
func containsAll(sorted, part []string) bool {
	for _, s := range sorted {
		if len(part) > 0 && part[0] == s {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// joinComments joins comments with line feeds.
func joinComments(comments ...string) string {
	return strings.Join(slices.DeleteFunc(comments, func(c string) bool { return c == "" }), "\n")
}
