package edit

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// editor changes the lines of a file.
type editor struct {
	lines []string // without their ends
	crlf  bool     // that is how they end
	open  bool     // the last one does not end
}

func newEditor(file []byte) *editor {
	text := string(file)
	e := &editor{crlf: strings.Contains(text, "\r\n"), open: text != "" && !strings.HasSuffix(text, "\n")}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	e.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return e
}

func (e *editor) text() []byte {
	text := strings.Join(e.lines, "\n")
	if !e.open {
		text += "\n"
	}
	if e.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// span is the lines of a "key: value" of a mapping, or of an item of a list, that is written in lines of its own.
type span struct {
	first, last int // lines, from 0, both included
	// before is how much of the first line is something else: spaces, or the dash of a list.
	before int
	key    *yaml.Node // nil for an item
	value  *yaml.Node
}

// entry is the i-th content of a mapping.
func (e *editor) entry(mapping *yaml.Node, i int) *span {
	key, val := mapping.Content[i], mapping.Content[i+1]
	s := &span{first: key.Line - 1, before: e.bytes(key), key: key, value: val}
	list := val.Kind == yaml.SequenceNode && !flow(val) && val.Column == key.Column
	s.last = e.end(s.first, key.Column-1, list)
	return s
}

// item is one of a list.
func (e *editor) item(node *yaml.Node) *span {
	s := &span{first: node.Line - 1, before: e.bytes(node), value: node}
	line := e.lines[s.first]
	s.last = e.end(s.first, len(line)-len(strings.TrimLeft(line, " ")), false)
	return s
}

// whole is a manifest, for one that is written in braces.
func (e *editor) whole(m Manifest) *span {
	root := m.root
	if m.item >= 0 {
		return e.item(root)
	}
	s := &span{first: root.Line - 1, last: root.Line - 1, before: e.bytes(root), value: root}
	for i := s.first + 1; i < len(e.lines); i++ {
		rest := strings.TrimSpace(e.lines[i])
		if rest == "---" || rest == "..." || strings.HasPrefix(rest, "--- ") {
			break
		}
		if rest != "" && rest[0] != '#' {
			s.last = i
		}
	}
	return s
}

// bytes before the first character of a node in its line: columns count characters.
func (e *editor) bytes(node *yaml.Node) int {
	return len(string([]rune(e.lines[node.Line-1])[:node.Column-1]))
}

// end is the last line of what begins in a line, at an indentation. list says that dashes at the same indentation are
// part of it. Empty lines after it, and comments that are not deeper, are not.
func (e *editor) end(first, indent int, list bool) int {
	last := first
	for i := first + 1; i < len(e.lines); i++ {
		line := e.lines[i]
		rest := strings.TrimLeft(line, " ")
		deep := len(line) - len(rest)
		switch {
		case strings.TrimSpace(rest) == "":
		case deep > indent, list && deep == indent && (rest == "-" || strings.HasPrefix(rest, "- ")):
			last = i
		case strings.HasPrefix(rest, "#"): // it may stand before what is part of it
		default:
			return last
		}
	}
	return last
}

// insert writes the entries of a mapping behind those of another one.
func (e *editor) insert(into, entries *yaml.Node) {
	last := e.entry(into, len(into.Content)-2)
	made := indented(encode(entries), strings.Repeat(" ", into.Content[0].Column-1))
	e.lines = slices.Insert(e.lines, last.last+1, made...)
}

// rewrite writes an entry or an item anew, with the field at path in its value set, or removed when wanted is nil.
func (e *editor) rewrite(s *span, wanted *yaml.Node, path []string) {
	val := clone(s.value)
	comment := e.comment(s, val)
	switch {
	case wanted == nil:
		drop(val, path)
	case len(path) == 0:
		val = wanted
	default:
		if val.Tag == "!!null" {
			val = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
		put(val, wanted, path)
	}
	made := val
	if s.key != nil {
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: s.key.Tag, Style: s.key.Style, Value: s.key.Value}
		made = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, val}}
	}
	lines := indented(encode(made), strings.Repeat(" ", len([]rune(e.lines[s.first][:s.before]))))
	lines[0] = e.lines[s.first][:s.before] + strings.TrimLeft(lines[0], " ")
	lines[0] += comment
	e.lines = slices.Replace(e.lines, s.first, s.last+1, lines...)
}

// comment is the one at the end of an entry that has only one line, with the spaces before it. The copy of its value
// loses what comments the lines have that stay.
func (e *editor) comment(s *span, val *yaml.Node) string {
	text := val.LineComment
	if s.key != nil && text == "" {
		text = s.key.LineComment
	}
	val.HeadComment, val.FootComment = "", ""
	if s.first != s.last || text == "" {
		return ""
	}
	val.LineComment = ""
	line := e.lines[s.first]
	at := strings.LastIndex(line, text)
	return line[len(strings.TrimRight(line[:max(at, 0)], " \t")):]
}

// cut removes the i-th content of a mapping that has others.
func (e *editor) cut(mapping *yaml.Node, i int) {
	s := e.entry(mapping, i)
	dash := e.lines[s.first][:s.before]
	if strings.TrimSpace(dash) == "" {
		e.lines = slices.Delete(e.lines, s.first, s.last+1)
		return
	}
	next := e.entry(mapping, i+2) // it is the first of an item, so there is one
	e.lines[next.first] = dash + e.lines[next.first][next.before:]
	e.lines = slices.Delete(e.lines, s.first, next.first)
}

// encode is a node as lines.
func encode(node *yaml.Node) []string {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(node); err != nil {
		return []string{""} // what cannot be written is noticed when the result is read
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func indented(lines []string, by string) []string {
	for i := range lines {
		if lines[i] != "" {
			lines[i] = by + lines[i]
		}
	}
	return lines
}

// clone is a copy of a node that can be changed alone.
func clone(node *yaml.Node) *yaml.Node {
	if node == nil {
		return nil
	}
	copied := *node
	copied.Content = make([]*yaml.Node, len(node.Content))
	for i := range node.Content {
		copied.Content[i] = clone(node.Content[i])
	}
	return &copied
}
