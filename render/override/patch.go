package override

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// patch is one add, remove or replace of RFC 6902. Parents are never made.
type patch struct {
	operator string
	typed    bool   // whether it is of a Kubernetes object, so that there are overriders made for some fields
	path     string // JSON pointer; once applied, with the index in place of "-" and of a negative one
	value    any

	before  any  // once applied: what was there
	existed bool // once applied: whether anything was there, as null is something too
	moved   int8 // once applied: 1 when it inserted an item into a list, -1 when it took one out
	keys    []string
}

// apply returns the patched document, which is changed in place where it can be.
func (p *patch) apply(doc any) (any, error) {
	if err := p.parse(); err != nil {
		return nil, err
	}
	if len(p.keys) == 0 {
		p.before, p.existed = doc, true
		return p.value, nil
	}
	return p.at(doc, 0)
}

// parse reads the path into keys, still escaped.
func (p *patch) parse() error {
	if p.operator != "add" && p.operator != "remove" && p.operator != "replace" {
		return fmt.Errorf("unknown operator %q, expected add, remove or replace", p.operator)
	}
	if p.path == "" {
		if p.operator == "remove" {
			return errors.New("the whole cannot be removed")
		}
		return nil
	}
	rest, ok := strings.CutPrefix(p.path, "/")
	if !ok {
		return errors.New("the path does not begin with /")
	}
	p.keys = strings.Split(rest, "/")
	return nil
}

// at patches below node, which is at the first depth keys, and returns what takes its place.
func (p *patch) at(node any, depth int) (any, error) {
	switch node := node.(type) {
	case map[string]any:
		return p.inMap(node, depth)
	case []any:
		return p.inList(node, depth)
	}
	return nil, p.nothingBelow(depth)
}

func (p *patch) inMap(m map[string]any, depth int) (any, error) {
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
	p.before, p.existed = child, exists
	if p.operator == "remove" {
		delete(m, key)
	} else {
		m[key] = p.value
	}
	return m, nil
}

func (p *patch) inList(list []any, depth int) (any, error) {
	i, err := p.index(len(list), depth)
	if err != nil {
		return nil, err
	}
	if !p.isLast(depth) {
		list[i], err = p.at(list[i], depth+1)
		return list, err
	}
	if p.operator == "add" {
		return slices.Insert(list, i, p.value), nil
	}
	p.before, p.existed = list[i], true
	if p.operator == "remove" {
		return slices.Delete(list, i, i+1), nil
	}
	list[i] = p.value
	return list, nil
}

func (p *patch) isLast(depth int) bool { return depth == len(p.keys)-1 }

// index is the index that the key at depth means in a list of this length, and puts it into the path.
func (p *patch) index(length, depth int) (int, error) {
	key := p.keys[depth]
	inserts := p.operator == "add" && p.isLast(depth)
	i, err := index(key, length, inserts)
	if err != nil {
		return 0, fmt.Errorf("%w at %q, which has %d items", err, p.pointer(depth), length)
	}
	if n := strconv.Itoa(i); n != key {
		p.keys[depth] = n
		p.path = p.pointer(len(p.keys))
	}
	switch {
	case inserts:
		p.moved = 1
	case p.operator == "remove" && p.isLast(depth):
		p.moved = -1
	}
	return i, nil
}

// wants is the mistake of a path whose key at depth is not there but must be.
func (p *patch) wants(exists bool, depth int) error {
	switch {
	case exists || p.isLast(depth) && p.operator == "add":
		return nil
	case p.operator != "add":
		return fmt.Errorf("there is no %q", p.pointer(depth+1))
	}
	return fmt.Errorf("its parent %q is not there%s", p.pointer(len(p.keys)-1), p.parentFix(depth))
}

// parentFix is how to make the parents that are missing from depth on.
func (p *patch) parentFix(depth int) string {
	if p.typed && len(p.keys) == 3 && p.keys[0] == "metadata" && (p.keys[1] == "labels" || p.keys[1] == "annotations") {
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
func (p *patch) nothingBelow(depth int) error {
	return fmt.Errorf("there can be nothing below %q, which is neither a map nor a list", p.pointer(depth))
}

// pointer is the JSON pointer of the first n keys.
func (p *patch) pointer(n int) string {
	if n == 0 {
		return ""
	}
	return "/" + strings.Join(p.keys[:n], "/")
}
