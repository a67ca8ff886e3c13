// Package patch is one operation of a JSON Patch (RFC 6902) on a decoded value, on JSON text or on YAML text. Text is
// changed where the operation says and nowhere else: comments, order, formatting, further documents and scalars stay as
// they were written.
package patch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Patch is one add, remove or replace. Parents are never made.
type Patch struct {
	Operator string // add, remove or replace
	// Path is a JSON pointer. As in Karmada, a negative index counts from the end. Once applied it has the index in
	// place of "-" and of a negative one.
	Path string
	// Value is written: a decoded value by Apply, a json.RawMessage by JSON and YAML. YAML also takes a *yaml.Node, whose
	// order of keys and style it keeps.
	Value any
	// Overridden says that a Kubernetes object is patched, which has overriders made for some of its fields. It is of
	// use for error messages only.
	Overridden bool

	Before  any  // once applied by Apply: what was there
	Existed bool // once applied by Apply: whether anything was there, as null is something too
	Moved   int8 // once applied: 1 when it inserted an item into a list, -1 when it took one out

	keys []string // of Path, still escaped
}

// Apply returns the patched value, which is changed in place where it can be: after an error it is of no use.
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

// parse checks the operation, and reads its path.
func (p *Patch) parse() error {
	if p.Operator != "add" && p.Operator != "remove" && p.Operator != "replace" {
		return fmt.Errorf("unknown operator %q, expected add, remove or replace", p.Operator)
	}
	if p.Path == "" {
		if p.Operator == "remove" {
			return errors.New("the whole cannot be removed")
		}
		return nil
	}
	rest, ok := strings.CutPrefix(p.Path, "/")
	if !ok {
		return errors.New("the path does not begin with /")
	}
	p.keys = strings.Split(rest, "/")
	return nil
}

// at patches below node, which is at the first depth keys, and returns what takes its place.
func (p *Patch) at(node any, depth int) (any, error) {
	switch node := node.(type) {
	case map[string]any:
		return p.inMap(node, depth)
	case []any:
		return p.inList(node, depth)
	}
	return nil, p.nothingBelow(depth)
}

func (p *Patch) inMap(m map[string]any, depth int) (any, error) {
	key := unescape(p.keys[depth])
	child, exists := m[key]
	if err := p.wants(exists, depth); err != nil {
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

// index is the index that the key at depth means in a list of this length, and puts it into the path.
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
		p.Moved = 1
	case p.Operator == "remove" && p.isLast(depth):
		p.Moved = -1
	}
	return i, nil
}

// wants is the mistake of a path whose key at depth is not there but must be.
func (p *Patch) wants(exists bool, depth int) error {
	switch {
	case exists || p.isLast(depth) && p.Operator == "add":
		return nil
	case p.Operator != "add":
		return fmt.Errorf("there is no %q", p.pointer(depth+1))
	}
	return fmt.Errorf("its parent %q is not there%s", p.pointer(len(p.keys)-1), p.parentFix(depth))
}

// parentFix is how to make the parents that are missing from depth on.
func (p *Patch) parentFix(depth int) string {
	if p.Overridden && len(p.keys) == 3 && p.keys[0] == "metadata" && (p.keys[1] == "labels" || p.keys[1] == "annotations") {
		return "; use " + p.keys[1] + "Overrider, which makes it"
	}
	var entries []string
	for d := depth; d < len(p.keys)-1; d++ {
		empty := "{}"
		if _, err := index(p.keys[d+1], 0, true); err == nil {
			empty = "[]"
		}
		entries = append(entries, fmt.Sprintf("%s at %q", empty, p.pointer(d+1)))
	}
	return "; let an earlier entry add " + strings.Join(entries, ", and one ")
}

// nothingBelow is the mistake of a path that goes on below something that is neither a map nor a list.
func (p *Patch) nothingBelow(depth int) error {
	return fmt.Errorf("there can be nothing below %q, which is neither a map nor a list", p.pointer(depth))
}

// pointer is the JSON pointer of the first n keys.
func (p *Patch) pointer(n int) string {
	if n == 0 {
		return ""
	}
	return "/" + strings.Join(p.keys[:n], "/")
}
