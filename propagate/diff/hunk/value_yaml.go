package hunk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlOf returns v as YAML without a trailing newline: fields in the order of a manifest, strings of several lines as
// blocks, and quotes around strings that YAML or Kubernetes would read as another type.
func yamlOf(v any) string {
	if s, ok := v.(string); ok && plainString.MatchString(s) && !yamlKeyword.MatchString(s) {
		return s // most changes are of names, images and modes, and an encoder takes a hundred times as long
	}
	return encode(node(v))
}

// plainString matches strings that need no quotes unless they match yamlKeyword.
var (
	plainString = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@-]*(:[A-Za-z0-9_./@-]+)*$`)
	yamlKeyword = regexp.MustCompile(`(?i)^(true|false|null|y|n|yes|no|on|off)$`)
)

// flowOf returns a list on one line: [a, b].
func flowOf(items []any) string {
	n := node(items)
	n.Style = yaml.FlowStyle
	return encode(n)
}

func encode(n *yaml.Node) string {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(n); err != nil {
		return quote(err.Error()) // impossible for values of a manifest
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func node(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range keysOf(v, nil) {
			n.Content = append(n.Content, text(key), node(v[key]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			n.Content = append(n.Content, node(item))
		}
		return n
	case string:
		return text(v)
	}
	return scalar(v)
}

// scalar encodes a number, a boolean or null as JSON does.
func scalar(v any) *yaml.Node {
	written, err := json.Marshal(number(v))
	if err != nil {
		return text(fmt.Sprint(v))
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(written)}
}

// yaml11Scalar matches strings that YAML 1.1, which Kubernetes reads, takes for booleans or numbers, and YAML 1.2 does
// not.
var yaml11Scalar = regexp.MustCompile(`^([yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)$`)

func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case strings.HasSuffix("\n"+s, "\n\n"): // a block would show its trailing empty lines only by an indicator in its first line
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(s, "\n") && visible(s) == s:
		n.Style = yaml.LiteralStyle
	case yaml11Scalar.MatchString(s):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
