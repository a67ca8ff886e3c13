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

// nodeOf is a JSON value as a YAML node in block style, its keys sorted and its numbers digit by digit.
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

// stringNode is a string, in quotes where some reader, of YAML 1.1 or 1.2, would take it for something else.
func stringNode(s string) *yaml.Node {
	var node yaml.Node
	if err := node.Encode(s); err != nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
	}
	node.Line, node.Column = 0, 0
	return &node
}

// likeStyle gives a new value the comments of the old one, and its quotes.
func likeStyle(value, old *yaml.Node) {
	value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
	if len(value.Content) > 0 {
		value.LineComment = "" // it would stand between the key and what is below it
	}
	const quotes = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	if old.ShortTag() == "!!str" && value.ShortTag() == "!!str" && old.Style&quotes != 0 && value.Style&yaml.LiteralStyle == 0 {
		value.Style = old.Style & quotes
	}
	if old.Kind == value.Kind && len(old.Content) > 0 {
		value.Style = old.Style & yaml.FlowStyle
	}
}

// encodeYAML writes a node.
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

// unmarkMerges takes the tag off merge keys, which the encoder would write out.
func unmarkMerges(node *yaml.Node) {
	if node.Tag == "!!merge" && node.Style&yaml.TaggedStyle == 0 {
		node.Tag = ""
	}
	for _, child := range node.Content {
		unmarkMerges(child)
	}
}

// sameNode says whether two nodes mean the same, however they are written.
func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || tagOf(a) != tagOf(b) || a.Value != b.Value || a.Anchor != b.Anchor {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, sameNode)
}

// tagOf is what a node is; that of a merge key is known without its mark, too.
func tagOf(node *yaml.Node) string {
	if node.Tag == "" && node.Kind == yaml.ScalarNode && node.Style == 0 && node.Value == "<<" {
		return "!!merge"
	}
	return node.ShortTag()
}

// commentsOf are the lines of all comments in a node, sorted.
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

// contains says whether sorted has all of part, which is sorted too, and as often.
func contains(sorted, part []string) bool {
	for _, s := range sorted {
		if len(part) > 0 && part[0] == s {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// joinComments puts comments one below the other.
func joinComments(comments ...string) string {
	return strings.Join(slices.DeleteFunc(comments, func(c string) bool { return c == "" }), "\n")
}
