package patch

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// candidates returns texts that may contain the edit, the smallest changes first. The ends of entries are estimated
// from the lines of nodes, so the caller must decode and compare each text.
func (e *yamlEdit) candidates() []string {
	texts := e.inPlace()
	last := len(e.trail) - 1
	for i := last; i >= 0; i-- {
		entry := e.trail[i]
		column := entry.column()
		switch {
		case entry.in.Style&yaml.FlowStyle != 0 || entry.in.Line == 0 || len(entry.in.Content) == 0 || column < 0:
			continue
		case i == last && e.Operator == "remove":
			texts = append(texts, e.splice(entry.top, e.endOfEntry(entry), nil))
		case i == last && entry.top < 0:
			texts = e.withEntry(texts, e.endOfEntries(entry), e.endOfEntries(entry), entry, column)
		case i == last && e.IndexShift > 0:
			texts = e.withEntry(texts, entry.top, entry.top, entry, column)
		case entry.top >= 0:
			texts = e.withEntry(texts, entry.top, e.endOfEntry(entry), entry, column)
		}
	}
	return texts
}

// inPlace returns the text with one scalar replaced by another on the same line.
func (e *yamlEdit) inPlace() []string {
	if e.old == nil || e.old.Kind != yaml.ScalarNode || e.old.Line == 0 || e.old.Line > len(e.lines) {
		return nil
	}
	entry := e.trail[len(e.trail)-1]
	value := *entry.in.Content[entry.at]
	value.HeadComment, value.LineComment, value.FootComment = "", "", ""
	text, err := encodeYAML(&value, e.indent())
	top, column := e.old.Line-1, e.old.Column-1
	line := e.lines[top]
	if err != nil || value.Kind != yaml.ScalarNode || strings.Count(text, "\n") != 1 || column > len(line) {
		return nil
	}
	length := scalarLength(line[column:], e.old)
	if length < 0 {
		return nil
	}
	line = line[:column] + strings.TrimSuffix(text, "\n") + line[column+length:]
	return []string{e.splice(top, top+1, []string{line})}
}

// scalarLength returns the length of the scalar at the beginning of rest, or -1 if the scalar continues on another
// line.
func scalarLength(rest string, scalar *yaml.Node) int {
	switch {
	case scalar.Style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	case scalar.Style&yaml.SingleQuotedStyle != 0:
		quoted := "'" + strings.ReplaceAll(scalar.Value, "'", "''") + "'"
		if strings.HasPrefix(rest, quoted) {
			return len(quoted)
		}
	case scalar.Style == 0 && scalar.Value != "" && strings.HasPrefix(rest, scalar.Value):
		return len(scalar.Value)
	}
	return -1
}

// withEntry appends the text in which an entry replaces the lines from top to bottom.
func (e *yamlEdit) withEntry(texts []string, top, bottom int, entry yamlEntry, column int) []string {
	lines, err := e.entryLines(entry)
	if err != nil || top < 0 || top > bottom {
		return texts
	}
	if bottom == top+1 && len(lines) == 1 {
		lines[0] = alignComment(lines[0], e.lines[top], entry.in.Content[entry.at].LineComment)
	}
	margin := strings.Repeat(" ", column)
	if top < bottom && column <= len(e.lines[top]) {
		lines[0] = e.lines[top][:column] + lines[0]
	} else {
		lines[0] = margin + lines[0]
	}
	for i := 1; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != "" {
			lines[i] = margin + lines[i]
		}
	}
	return append(texts, e.splice(top, bottom, lines))
}

// alignComment returns a line whose comment has the same distance as in the line it replaces.
func alignComment(line, old, comment string) string {
	code, ok := strings.CutSuffix(strings.TrimSuffix(line, "\n"), " "+comment)
	oldCode, had := strings.CutSuffix(strings.TrimRight(old, " \t\n"), comment)
	if comment == "" || !ok || !had {
		return line
	}
	return code + oldCode[len(strings.TrimRight(oldCode, " \t")):] + comment + "\n"
}

// splice returns the text with the lines from top to bottom replaced.
func (e *yamlEdit) splice(top, bottom int, lines []string) string {
	if top < 0 || top > bottom || bottom > len(e.lines) {
		return ""
	}
	return strings.Join(slices.Concat(e.lines[:top], lines, e.lines[bottom:]), "")
}

// entryLines returns the lines of an entry without the comments around it, which stay in place.
func (e *yamlEdit) entryLines(entry yamlEntry) ([]string, error) {
	content := []*yaml.Node{entry.in.Content[entry.at]}
	if entry.in.Kind == yaml.MappingNode {
		content = []*yaml.Node{entry.in.Content[entry.at-1], entry.in.Content[entry.at]}
	}
	first := *content[0]
	first.HeadComment, first.FootComment = "", ""
	content[0] = &first
	text, err := encodeYAML(&yaml.Node{Kind: entry.in.Kind, Content: content}, e.indent())
	return splitLines(text), err
}

// column returns the column, from 0, in which the entries of the map or list begin.
func (entry yamlEntry) column() int {
	if entry.in.Kind == yaml.SequenceNode || len(entry.in.Content) == 0 {
		return entry.in.Column - 1
	}
	return entry.in.Content[0].Column - 1
}

// endOfEntry returns the line after an entry, without trailing blank lines and comments.
func (e *yamlEdit) endOfEntry(entry yamlEntry) int {
	bottom := min(entry.bottom, len(e.lines))
	for bottom > entry.top+1 && isComment(e.lines[bottom-1]) {
		bottom--
	}
	return bottom
}

// endOfEntries returns the line for an entry that is added behind all others.
func (e *yamlEdit) endOfEntries(entry yamlEntry) int {
	return e.endOfEntry(yamlEntry{top: entry.in.Line - 1, bottom: entry.bottom})
}

// yamlIndent is the indentation of a document.
type yamlIndent struct {
	spaces  int
	compact bool // items of a list in a map begin in the column of the key
}

// indent determines the indentation of the document from its nodes.
func (e *yamlEdit) indent() yamlIndent {
	found := yamlIndent{}
	inspectIndent(e.doc.Content[0], &found)
	if found.spaces < 2 || found.spaces > 9 {
		found.spaces = 2
	}
	return found
}

func inspectIndent(node *yaml.Node, found *yamlIndent) {
	if node.Kind == yaml.MappingNode && node.Style&yaml.FlowStyle == 0 {
		for i := 1; i < len(node.Content); i += 2 {
			key, child := node.Content[i-1], node.Content[i]
			if child.Line <= key.Line || key.Line == 0 || len(child.Content) == 0 {
				continue
			}
			switch {
			case child.Kind == yaml.SequenceNode:
				found.compact = found.compact || child.Column == key.Column
			case found.spaces == 0:
				found.spaces = child.Column - key.Column
			}
		}
	}
	for _, child := range node.Content {
		inspectIndent(child, found)
	}
}
