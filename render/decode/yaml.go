package decode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse decodes one document into nodes. A null document is nil.
func (f File) Parse(d Document) (node *yaml.Node, err error) {
	defer func() { // the YAML library has panicked on malformed input before
		if r := recover(); r != nil {
			node, err = nil, f.Errorf(d.Line, "is not valid YAML: %v", r)
		}
	}()
	if len(d.Text) > MaxNodes {
		if most := d.maxValues(); most > MaxNodes {
			return nil, f.Errorf(d.Line, "has up to %d values in one document, at most %d are allowed; split it", most, MaxNodes)
		}
	}
	var root yaml.Node
	stream := yaml.NewDecoder(bytes.NewReader(d.Text))
	err = stream.Decode(&root)
	if err == nil { // text after the end of {...} on its line would be lost
		var more yaml.Node
		if err = stream.Decode(&more); err == nil {
			return nil, f.Errorf(d.Line, "has content after its end; separate objects with a line of ---")
		}
	}
	if !errors.Is(err, io.EOF) {
		line, message := yamlError(err, d.Text)
		return nil, f.Errorf(d.Line+line-1, "is not valid YAML: %s%s", message, TemplateHint(d.Text))
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) == 0 || root.Content[0].ShortTag() == "!!null" {
		return nil, nil
	}
	return root.Content[0], nil
}

// EachValue decodes all documents of a stream that are not null. With lines, the stream is a whole file and errors have
// its lines.
func (f File) EachValue(data []byte, lines bool, visit func(line int, value any, d *Decoder) error) error {
	for _, document := range Split(data) {
		if !lines {
			document.Line = max(f.Origin.Line, 1)
		}
		node, err := f.Parse(document)
		if err != nil {
			return err
		}
		if node == nil {
			continue
		}
		d := &Decoder{File: f, Offset: document.Line - 1}
		value, err := d.Value(node, 0)
		if err != nil {
			return err
		}
		if err := visit(document.Line, value, d); err != nil {
			return err
		}
	}
	return nil
}

var (
	yamlLine    = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)
	yamlUnknown = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// renderFirst is the hint for templates of a chart or similar.
const renderFirst = "; if it is a template, render it first and commit the result"

var yamlTemplate = regexp.MustCompile(`\{\{|\{%`)

// TemplateHint returns renderFirst if the text may be a template.
func TemplateHint(text []byte) string {
	if yamlTemplate.Match(text) {
		return renderFirst
	}
	return ""
}

// yamlError returns the line and the message of an error of the YAML library. The line is relative to the document, and
// 1 if unknown. It hides a possible secret: an unquoted value that begins with "*".
func yamlError(err error, text []byte) (line int, message string) {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, err.Error()
	}
	if unknown := yamlUnknown.FindStringSubmatch(m[2]); unknown != nil {
		before, _, _ := bytes.Cut(text, []byte("*"+unknown[1]))
		return 1 + bytes.Count(before, []byte("\n")), "unknown anchor; quote a text that begins with *"
	}
	line, _ = strconv.Atoi(m[1])
	return max(line, 1), m[2]
}

// Decoder converts the nodes of one document into the values that apimachinery keeps in Unstructured. A duplicate key
// in a mapping is an error. Scalars follow YAML 1.2, as in kustomize: "yes" and "on" are strings.
type Decoder struct {
	File   File
	Offset int // added to the lines of nodes
	nodes  int // decoded so far
	Bytes  int // of text, decoded so far
	// Sharing has the parts of earlier objects; nil for values that may be changed.
	Sharing *Sharing
}

func (d *Decoder) Errorf(n *yaml.Node, format string, args ...any) error {
	line := 0
	if n.Line > 0 {
		line = n.Line + d.Offset
	}
	return d.File.Errorf(line, format, args...)
}

func (d *Decoder) Value(n *yaml.Node, depth int) (any, error) {
	decoded, err := d.decode(n, depth)
	return decoded.value, err
}

func (d *Decoder) decode(n *yaml.Node, depth int) (none sharedValue, err error) {
	if d.nodes++; d.nodes > MaxNodes {
		return none, d.Errorf(n, "has more than %d values, including repeated aliases", MaxNodes)
	}
	if d.Bytes += len(n.Value); d.Bytes > MaxFileSize {
		return none, d.Errorf(n, "has more than %d bytes of text, including repeated aliases", MaxFileSize)
	}
	if depth > MaxDepth {
		return none, d.Errorf(n, "is nested deeper than %d levels", MaxDepth)
	}
	switch n.Kind {
	case yaml.MappingNode:
		return d.mapping(n, depth)
	case yaml.SequenceNode:
		items := make([]sharedValue, len(n.Content))
		for i, item := range n.Content {
			if items[i], err = d.decode(item, depth+1); err != nil {
				return none, err
			}
		}
		return d.Sharing.list(items), nil
	case yaml.AliasNode:
		return d.decode(n.Alias, depth+1)
	case yaml.ScalarNode:
		value, err := d.scalar(n)
		if err != nil {
			return none, err
		}
		return d.Sharing.scalar(value), nil
	}
	return none, d.Errorf(n, "is not valid YAML: unexpected node")
}

func (d *Decoder) scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, d.Errorf(n, "is not a boolean")
		}
		return b, nil
	case "!!int", "!!float":
		number, err := number(n)
		if err != nil {
			return nil, d.Errorf(n, "%v", err)
		}
		return number, nil
	}
	return n.Value, nil // dates and binaries stay text, as the API server expects
}

// number returns an int64 for a whole number that fits, else a float64, as apimachinery does.
func number(n *yaml.Node) (any, error) {
	if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil && (n.Value == "0" || n.Value[0] != '0') {
		return i, nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return nil, errors.New("is not a number")
	}
	switch v := value.(type) {
	case int:
		return int64(v), nil
	case int64:
		return v, nil
	case uint64:
		return float64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("is not a number that JSON can represent")
		}
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), nil
		}
		return v, nil
	}
	return nil, errors.New("is not a number")
}

// Lookup returns the node at a path of keys and indexes ("[0]") below n, or the deepest node on the path.
func Lookup(n *yaml.Node, path ...string) *yaml.Node {
	for _, step := range path {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		next := below(n, step)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// below returns the node at a key or an index of n; nil if there is none.
func below(n *yaml.Node, step string) *yaml.Node {
	switch n.Kind {
	case yaml.SequenceNode:
		i, err := strconv.Atoi(strings.Trim(step, "[]"))
		if err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
	case yaml.MappingNode:
		for i := len(n.Content) - 2; i >= 0; i -= 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1]
			}
		}
	}
	return nil
}
