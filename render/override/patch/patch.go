// Package patch applies one operation of a JSON Patch (RFC 6902) to a decoded value, to JSON text or to YAML text. In
// text it changes only the value at the path: comments, order, formatting, further documents and scalars stay as
// written.
package patch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Patch is one add, remove or replace. It creates no parents, except the labels and annotations of a Kubernetes object.
type Patch struct {
	Operator string // add, remove or replace
	// Path is a JSON pointer. As in Karmada, a negative index counts from the end. After the operation Path contains
	// the index instead of "-" or a negative index.
	Path string
	// Value is a decoded value for Apply, and a json.RawMessage for JSON and YAML. YAML also accepts a *yaml.Node and
	// keeps its order of keys and its style.
	Value any
	// OfObject is set for a patch of a Kubernetes object. Absent labels or annotations are the same as empty ones there, so add creates
	// the map, also in a pod template.
	OfObject bool

	Before     any  // set by Apply: the previous value
	Existed    bool // set by Apply: whether there was a previous value, which may be null
	IndexShift int8 // set by the operation: 1 if it inserted an item into a list, -1 if it removed one

	keys []string // of Path, with escapes
}

// Apply returns the patched value. It changes doc in place where possible; after an error doc must not be used.
func (p *Patch) Apply(doc any) (any, error) {
	if err := p.parse(); err != nil {
		return nil, err
	}
	if len(p.keys) == 0 {
		p.Before, p.Existed = doc, true
		return p.Value, nil
	}
	return p.at(doc, 0)
}

// parse checks the operation and splits its path.
func (p *Patch) parse() error {
	if p.Operator != "add" && p.Operator != "remove" && p.Operator != "replace" {
		return fmt.Errorf("unknown operator %q, expected add, remove or replace", p.Operator)
	}
	if p.Path == "" {
		if p.Operator == "remove" {
			return errors.New("the root cannot be removed")
		}
		return nil
	}
	rest, ok := strings.CutPrefix(p.Path, "/")
	if !ok {
		return errors.New("the path must begin with /")
	}
	p.keys = strings.Split(rest, "/")
	return nil
}

// at patches node, which is at the first depth keys, and returns its replacement.
func (p *Patch) at(node any, depth int) (any, error) {
	switch node := node.(type) {
	case map[string]any:
		return p.inMap(node, depth)
	case []any:
		return p.inList(node, depth)
	}
	return nil, p.notContainerError(depth)
}

func (p *Patch) inMap(m map[string]any, depth int) (any, error) {
	key := unescape(p.keys[depth])
	child, exists := m[key]
	if child == nil && p.isMetadataMap(depth) {
		child, exists = map[string]any{}, true
	}
	if err := p.requireKey(exists, depth); err != nil {
		return nil, err
	}
	if !p.isLast(depth) {
		patched, err := p.at(child, depth+1)
		if err != nil {
			return nil, err
		}
		m[key] = patched
		return m, nil
	}
	p.Before, p.Existed = child, exists
	if p.Operator == "remove" {
		delete(m, key)
	} else {
		m[key] = p.Value
	}
	return m, nil
}

func (p *Patch) inList(list []any, depth int) (any, error) {
	i, err := p.index(len(list), depth)
	if err != nil {
		return nil, err
	}
	if !p.isLast(depth) {
		list[i], err = p.at(list[i], depth+1)
		return list, err
	}
	if p.Operator == "add" {
		return slices.Insert(list, i, p.Value), nil
	}
	p.Before, p.Existed = list[i], true
	if p.Operator == "remove" {
		return slices.Delete(list, i, i+1), nil
	}
	list[i] = p.Value
	return list, nil
}

func (p *Patch) isLast(depth int) bool { return depth == len(p.keys)-1 }

// index returns the index that the key at depth selects in a list, and writes it into the path.
func (p *Patch) index(length, depth int) (int, error) {
	key := p.keys[depth]
	inserts := p.Operator == "add" && p.isLast(depth)
	i, err := index(key, length, inserts)
	if err != nil {
		return 0, fmt.Errorf("%w at %q, which has %d items", err, p.pointer(depth), length)
	}
	if n := strconv.Itoa(i); n != key {
		p.keys[depth] = n
		p.Path = p.pointer(len(p.keys))
	}
	switch {
	case inserts:
		p.IndexShift = 1
	case p.Operator == "remove" && p.isLast(depth):
		p.IndexShift = -1
	}
	return i, nil
}

// isMetadataMap reports whether the operation adds a label or an annotation to the map at depth.
func (p *Patch) isMetadataMap(depth int) bool {
	return p.OfObject && p.Operator == "add" && depth > 0 && depth == len(p.keys)-2 && p.keys[depth-1] == "metadata" &&
		(p.keys[depth] == "labels" || p.keys[depth] == "annotations")
}

// requireKey returns an error if the key at depth must exist and does not.
func (p *Patch) requireKey(exists bool, depth int) error {
	switch {
	case exists || p.isLast(depth) && p.Operator == "add":
		return nil
	case p.Operator != "add":
		return fmt.Errorf("there is no %q", p.pointer(depth+1))
	}
	return fmt.Errorf("its parent %q does not exist%s", p.pointer(len(p.keys)-1), p.missingParentHint(depth))
}

// missingParentHint returns how to create the parents that are missing from depth on.
func (p *Patch) missingParentHint(depth int) string {
	var entries []string
	for d := depth; d < len(p.keys)-1; d++ {
		empty := "{}"
		if _, err := index(p.keys[d+1], 0, true); err == nil {
			empty = "[]"
		}
		entries = append(entries, fmt.Sprintf("%s at %q", empty, p.pointer(d+1)))
	}
	return "; add " + strings.Join(entries, " and ") + " first"
}

// notContainerError rejects a path that continues below a value that is neither a map nor a list.
func (p *Patch) notContainerError(depth int) error {
	return fmt.Errorf("%q is neither a map nor a list", p.pointer(depth))
}

// pointer returns the JSON pointer of the first n keys.
func (p *Patch) pointer(n int) string {
	if n == 0 {
		return ""
	}
	return "/" + strings.Join(p.keys[:n], "/")
}
