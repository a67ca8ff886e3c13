package hunk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlOf is v as YAML without a newline at the end: fields in the order in which they are read, texts of several lines as
// such, and quotes around texts that a reader or Kubernetes would take for something else.
func yamlOf(v any) string {
	if s, ok := v.(string); ok && plain.MatchString(s) && !word.MatchString(s) {
		return s // most of what changes is a name, an image or a mode, and an encoder costs a hundred times as much
	}
	return encode(node(v))
}

// plain are texts that are written as they are, if they are no word of YAML.
var (
	plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@-]*(:[A-Za-z0-9_./@-]+)*$`)
	word  = regexp.MustCompile(`(?i)^(true|false|null|y|n|yes|no|on|off)$`)
)

// flowOf is a list in one line: [a, b].
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
		return quote(err.Error()) // nothing that a manifest can contain
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

// scalar is what JSON writes of a number, a boolean or null.
func scalar(v any) *yaml.Node {
	written, err := json.Marshal(number(v))
	if err != nil {
		return text(fmt.Sprint(v))
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(written)}
}

// old are the texts that YAML 1.1, which Kubernetes reads, takes for booleans or numbers, and YAML 1.2 does not.
var old = regexp.MustCompile(`^([yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)$`)

func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case strings.HasSuffix("\n"+s, "\n\n"): // a block would tell the empty lines at its end by a sign in its first line
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(s, "\n") && visible(s) == s:
		n.Style = yaml.LiteralStyle
	case old.MatchString(s):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
