package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// errUnsafe refuses an edit that would reformat lines that the patch does not name.
var errUnsafe = errors.New("the file cannot be edited safely; edit it by hand")

// YAML returns text with its first document patched, which is the document that Karmada reads. Everything that the patch
// does not name stays as it was written, the other documents included (Karmada B8). Only a document in which no piece
// can be replaced safely is reformatted; it keeps its comments.
func (p *Patch) YAML(text string) (string, error) {
	return p.yaml(text, 0)
}

// YAMLAt returns text with one document patched: the document whose root begins in the given line, counted from 1. It
// returns an error where YAML would reformat the document.
func (p *Patch) YAMLAt(text string, line int) (string, error) {
	return p.yaml(text, line)
}

func (p *Patch) yaml(text string, line int) (string, error) {
	if err := p.parse(); err != nil {
		return "", err
	}
	head, body, rest := cutDocument(text, line)
	const windows = "\r\n"
	end := "\n"
	if n := strings.Count(body, windows); n > 0 && n == strings.Count(body, "\n") {
		end = windows
	}
	if line > 0 {
		line = max(line-strings.Count(head, "\n"), 1)
	}
	patched, err := p.document(strings.ReplaceAll(body, windows, "\n"), line)
	if err != nil {
		return "", err
	}
	if end == windows {
		patched = strings.ReplaceAll(patched, "\n", windows)
	}
	if rest != "" && !strings.HasSuffix(patched, "\n") {
		patched += "\n"
	}
	return head + patched + rest, nil
}

// cutDocument returns the content of the document that contains a line, and the text before and after it. Line 0
// selects the first document. A marker at the beginning of a line is never part of a scalar (YAML 1.2, 9.1.2).
func cutDocument(text string, line int) (head, body, rest string) {
	lines := strings.SplitAfter(text, "\n")
	begin := min(line, len(lines)) - 1
	if line == 0 {
		begin = slices.IndexFunc(lines, func(line string) bool { return !isComment(line) && !strings.HasPrefix(line, "%") })
	}
	if begin < 0 {
		return "", text, ""
	}
	for begin > 0 && !isMarker(lines[begin], "---") && !isMarker(lines[begin-1], "...") {
		begin--
	}
	switch {
	case !isMarker(lines[begin], "---"):
	case isComment(lines[begin][3:]):
		begin++
	default: // the content begins beside the marker
		lines = slices.Insert(lines, begin, "---\n")
		begin++
		lines[begin] = strings.TrimLeft(lines[begin][3:], " \t")
	}
	end := begin
	for end < len(lines) && !isMarker(lines[end], "---") && !isMarker(lines[end], "...") {
		end++
	}
	return strings.Join(lines[:begin], ""), strings.Join(lines[begin:end], ""), strings.Join(lines[end:], "")
}

func isMarker(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && (rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// isComment reports whether a line is blank or has only a comment.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// document patches one document. It edits the nodes, and then searches for the smallest edit of the text that decodes
// to these nodes. rootLine is the expected line of the root; if it is not 0, document returns an error instead of
// reformatting the text.
func (p *Patch) document(text string, rootLine int) (string, error) {
	doc, err := parseYAML(text)
	if err != nil {
		return "", err
	}
	if rootLine > 0 && doc.Content[0].Line != rootLine {
		return "", errUnsafe // the parser also counts line ends other than a line feed
	}
	before := commentsOf(doc)
	e := yamlEdit{Patch: p, doc: doc, lines: splitLines(text)}
	if err := e.editNodes(); err != nil {
		return "", err
	}
	after := commentsOf(doc)
	for _, candidate := range e.candidates() {
		candidate = matchFinalNewline(candidate, text)
		if got, err := parseYAML(candidate); err == nil && sameNode(got, doc) {
			if have := commentsOf(got); containsAll(have, after) && containsAll(before, have) {
				return candidate, nil
			}
		}
	}
	if rootLine > 0 {
		return "", errUnsafe
	}
	whole, err := encodeYAML(doc, e.indent())
	if err != nil {
		return "", fmt.Errorf("writing the YAML text: %w", err)
	}
	if got, err := parseYAML(whole); err != nil || !sameNode(got, doc) {
		return "", errors.New("the result cannot be written as YAML text")
	}
	return matchFinalNewline(whole, text), nil
}

// parseYAML returns the document node of a text with one document, whose root must be a map or a list.
func parseYAML(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, &SensitiveError{fmt.Errorf("the text is not valid YAML: %w", err), "the text is not valid"}
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errNotContainer
	}
	if root := doc.Content[0]; root.Kind != yaml.MappingNode && root.Kind != yaml.SequenceNode {
		return nil, errNotContainer
	}
	return &doc, nil
}

// splitLines returns the lines of text with their line ends.
func splitLines(text string) []string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	lines := strings.SplitAfter(text, "\n")
	return lines[:len(lines)-1]
}

// matchFinalNewline ends text with a newline if and only if the original ends with one.
func matchFinalNewline(text, original string) string {
	text = strings.TrimSuffix(text, "\n")
	if strings.HasSuffix(original, "\n") {
		text += "\n"
	}
	return text
}
