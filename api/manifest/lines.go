package manifest

import (
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Lines maps the path of a field ("spec.placement.clusterAffinity", "spec.rules[1].value") to its position in the
// file. A nil map has no positions.
type Lines map[string]Position

// Position is the position of a field name or of a list entry. Both numbers are 1-based.
type Position struct{ Line, Column int }

// Bounds of the index of one manifest: YAML aliases can repeat lines exponentially often, and every path contains the
// keys above it. Fields beyond the bounds get the line of the enclosing field.
const (
	maxLines     = 100_000
	maxLineBytes = 16 << 20 // of all paths together
)

// LinesOf indexes the fields of text, one YAML or JSON document that begins at line first of its file. It returns nil
// if there is no text, if first is 0 (unknown) or if text cannot be parsed.
func LinesOf(text []byte, first int) Lines {
	if len(text) == 0 || first < 1 {
		return nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return nil
	}
	x := indexing{lines: Lines{}, left: maxLineBytes}
	x.index("", doc.Content[0], first-1)
	return x.lines
}

// At returns the position of a field, else of the nearest enclosing field, else of the manifest.
func (l Lines) At(manifest Origin, field string) Origin {
	for f := field; f != ""; f = enclosing(f) {
		if p, ok := l[f]; ok {
			manifest.Line, manifest.Column = p.Line, p.Column
			return manifest
		}
	}
	return manifest
}

// Copied returns l with a second path for one field and all fields below it, for fields that were moved.
func (l Lines) Copied(from, to string) Lines {
	if l == nil {
		return nil
	}
	copied := maps.Clone(l)
	for path, position := range l {
		rest, below := strings.CutPrefix(path, from)
		if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			copied[to+rest] = position
		}
	}
	return copied
}

// enclosing returns the path of the enclosing field: "spec.rules[1].value" is in "spec.rules[1]", which is in
// "spec.rules".
func enclosing(field string) string {
	return field[:max(0, strings.LastIndexAny(field, ".["))]
}

// indexing is an index under construction, with the number of bytes left for paths.
type indexing struct {
	lines Lines
	left  int
}

func (x *indexing) index(path string, n *yaml.Node, offset int) {
	if len(x.lines) >= maxLines || x.left < 0 {
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		x.index(path, n.Alias, offset)
	case yaml.MappingNode:
		var merged []*yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if x.left < 0 {
				return
			}
			if key.Tag == "!!merge" {
				merged = append(merged, value)
				continue
			}
			x.add(child(path, key.Value), key, value, offset)
		}
		for _, value := range merged {
			x.index(path, value, offset)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if x.left < 0 {
				return
			}
			x.add(fmt.Sprintf("%s[%d]", path, i), item, item, offset)
		}
	}
}

// add records the first position of a path: a mapping's own keys come before merged ones.
func (x *indexing) add(path string, at, value *yaml.Node, offset int) {
	x.left -= len(path)
	if _, known := x.lines[path]; !known {
		x.lines[path] = Position{at.Line + offset, at.Column}
	}
	x.index(path, value, offset)
}

func child(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
