package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML returns YAML text with its first document patched, which is the one Karmada reads. Everything that is not named
// stays as it was written, the other documents included (B8).
func (p *Patch) YAML(text string) (string, error) {
	if err := p.parse(); err != nil {
		return "", err
	}
	head, body, rest := firstDocument(text)
	const windows = "\r\n"
	end := "\n"
	if n := strings.Count(body, windows); n > 0 && n == strings.Count(body, "\n") {
		end = windows
	}
	patched, err := p.document(strings.ReplaceAll(body, windows, "\n"))
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

// firstDocument cuts text before and after the content of its first document. A marker cannot stand in a scalar: at the
// beginning of a line it always is one (YAML 1.2, 9.1.2).
func firstDocument(text string) (head, body, rest string) {
	lines := strings.SplitAfter(text, "\n")
	begin := slices.IndexFunc(lines, func(line string) bool { return !isComment(line) && !strings.HasPrefix(line, "%") })
	switch {
	case begin < 0:
		return "", text, ""
	case !isMarker(lines[begin], "---"):
		begin = 0
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

// isComment says whether a line has nothing but a comment, or nothing.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// document patches one document. It edits the nodes to know what is wanted, and then looks for the smallest piece
// of text that makes just that when it is written anew.
func (p *Patch) document(text string) (string, error) {
	doc, err := parseYAML(text)
	if err != nil {
		return "", err
	}
	before := commentsOf(doc)
	e := yamlEdit{Patch: p, doc: doc, lines: linesOf(text)}
	if err := e.editNodes(); err != nil {
		return "", err
	}
	after := commentsOf(doc)
	for _, candidate := range e.candidates() {
		candidate = likeEnd(candidate, text)
		if got, err := parseYAML(candidate); err == nil && sameNode(got, doc) {
			if have := commentsOf(got); contains(have, after) && contains(before, have) {
				return candidate, nil
			}
		}
	}
	whole, err := encodeYAML(doc, e.indent())
	if err != nil {
		return "", fmt.Errorf("writing the YAML text: %w", err)
	}
	if got, err := parseYAML(whole); err != nil || !sameNode(got, doc) {
		return "", errors.New("the result cannot be written as YAML text")
	}
	return likeEnd(whole, text), nil
}

// parseYAML is the document node of text that has one document, which must be a map or a list.
func parseYAML(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, &Quoting{fmt.Errorf("the text is not valid YAML: %w", err), "the text is not valid"}
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errNoMap
	}
	if root := doc.Content[0]; root.Kind != yaml.MappingNode && root.Kind != yaml.SequenceNode {
		return nil, errNoMap
	}
	return &doc, nil
}

// linesOf are the lines of text, each with its end.
func linesOf(text string) []string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	lines := strings.SplitAfter(text, "\n")
	return lines[:len(lines)-1]
}

// likeEnd gives text a last line end if the original has one.
func likeEnd(text, original string) string {
	text = strings.TrimSuffix(text, "\n")
	if strings.HasSuffix(original, "\n") {
		text += "\n"
	}
	return text
}
