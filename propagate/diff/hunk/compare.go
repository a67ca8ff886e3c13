package hunk

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Compare says how after differs from before, in the order in which the YAML is read: nil if it does not. Accord's own
// marks (the digest, the membership label) are no difference, and neither is a number held as a float instead of an
// integer. If one of the two is nil, the other is one hunk. Neither is changed.
func Compare(before, after *unstructured.Unstructured, o Options) []Hunk {
	c := comparer{printer: printer{o: o}}
	at := place{secret: secrets(before, after)}
	switch {
	case before == nil && after == nil:
	case before == nil:
		c.lone(at, Add, unmarked(after))
	case after == nil:
		c.lone(at, Remove, unmarked(before))
	default:
		c.fields(at, unmarked(before), unmarked(after))
	}
	return c.hunks
}

// comparer collects hunks while it walks two objects side by side.
type comparer struct {
	printer
	hunks []Hunk
}

// place is where a walk is.
type place struct {
	path   string
	field  string // the last key on the way, which says how the items of a list are called
	secret rules  // what is secret from here on
}

func (p place) key(key string) place {
	return place{path: join(p.path, key), field: key, secret: p.secret.key(key)}
}

func (p place) item(label string) place {
	return place{path: p.path + "[" + label + "]", secret: p.secret.item()}
}

// values compares two values that are both there.
func (c *comparer) values(at place, before, after any) {
	if equal(before, after) {
		return
	}
	if b, ok := before.(map[string]any); ok {
		if a, ok := after.(map[string]any); ok {
			c.fields(at, b, a)
			return
		}
	}
	if b, ok := before.([]any); ok {
		if a, ok := after.([]any); ok {
			c.items(at, b, a)
			return
		}
	}
	c.add(c.replace(at, before, after))
}

// fields compares two maps.
func (c *comparer) fields(at place, before, after map[string]any) {
	for _, key := range keysOf(before, after) {
		b, had := before[key]
		a, has := after[key]
		switch {
		case had && has:
			c.values(at.key(key), b, a)
		case has:
			c.lone(at.key(key), Add, a)
		default:
			c.lone(at.key(key), Remove, b)
		}
	}
}

// lone is about a value that has come or gone. Secret maps are told field by field, so that a reader sees which came.
func (c *comparer) lone(at place, op Op, value any) {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 || !at.secret.all() {
		c.add(c.only(at, op, value))
		return
	}
	for _, key := range keysOf(m, nil) {
		c.lone(at.key(key), op, m[key])
	}
}

func (c *comparer) add(h Hunk) { c.hunks = append(c.hunks, h) }

// keysOf are the keys of both, in the order in which they are read.
func keysOf(a, b map[string]any) []string {
	keys := slices.AppendSeq(make([]string, 0, len(a)+len(b)), maps.Keys(a))
	keys = slices.AppendSeq(keys, maps.Keys(b))
	slices.SortFunc(keys, read)
	return slices.Compact(keys)
}

// first are the fields that people write above the others, whatever the object.
var first = strings.Fields("apiVersion kind metadata name namespace labels annotations spec image command args")

// read orders fields as they are read: what says what it is, then the rest by name, and the status below.
func read(a, b string) int {
	if x, y := rank(a), rank(b); x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

func rank(key string) int {
	if i := slices.Index(first, key); i >= 0 {
		return i
	}
	if key == "status" {
		return len(first) + 1
	}
	return len(first)
}
