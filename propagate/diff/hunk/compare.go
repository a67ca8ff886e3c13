package hunk

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Compare returns the differences between two objects, in the order of fields in a manifest; nil if they are equal. It
// ignores accord's own marks (the digest annotation and the membership label), and whether a number is an integer or a
// float. If one object is nil, the other one is a single hunk. Compare changes neither.
func Compare(before, after *unstructured.Unstructured, o Options) []Hunk {
	c := comparer{printer: printer{o: o}}
	at := place{secret: secretRules(before, after)}
	switch {
	case before == nil && after == nil:
	case before == nil:
		c.oneSided(at, Add, withoutMarks(after))
	case after == nil:
		c.oneSided(at, Remove, withoutMarks(before))
	default:
		c.fields(at, withoutMarks(before), withoutMarks(after))
	}
	return c.hunks
}

// comparer collects hunks while it walks two objects side by side.
type comparer struct {
	printer
	hunks []Hunk
}

// place is a position in both objects.
type place struct {
	path   string
	field  string // the last key of the path, which determines the list keys
	secret rules  // applies below this place
}

func (p place) key(key string) place {
	return place{path: join(p.path, key), field: key, secret: p.secret.key(key)}
}

func (p place) item(label string) place {
	return place{path: p.path + "[" + label + "]", secret: p.secret.item()}
}

// values compares two values that both exist.
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
			c.lists(at, b, a)
			return
		}
	}
	c.add(c.replace(at, before, after))
}

func (c *comparer) fields(at place, before, after map[string]any) {
	for _, key := range keysOf(before, after) {
		b, had := before[key]
		a, has := after[key]
		switch {
		case had && has:
			c.values(at.key(key), b, a)
		case has:
			c.oneSided(at.key(key), Add, a)
		default:
			c.oneSided(at.key(key), Remove, b)
		}
	}
}

// oneSided adds hunks for a value that was added or removed. A secret map gets a hunk for each field, to show the names
// of the fields.
func (c *comparer) oneSided(at place, op Op, value any) {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 || !at.secret.all() {
		c.add(c.single(at, op, value))
		return
	}
	for _, key := range keysOf(m, nil) {
		c.oneSided(at.key(key), op, m[key])
	}
}

func (c *comparer) add(h Hunk) { c.hunks = append(c.hunks, h) }

// keysOf returns the keys of both maps in the order of a manifest.
func keysOf(a, b map[string]any) []string {
	keys := slices.AppendSeq(make([]string, 0, len(a)+len(b)), maps.Keys(a))
	keys = slices.AppendSeq(keys, maps.Keys(b))
	slices.SortFunc(keys, compareFields)
	return slices.Compact(keys)
}

// leadingFields come first in the manifests of any kind.
var leadingFields = strings.Fields("apiVersion kind metadata name namespace labels annotations spec image command args")

// compareFields sorts leadingFields first, then by name, and the status last.
func compareFields(a, b string) int {
	if x, y := fieldRank(a), fieldRank(b); x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

func fieldRank(key string) int {
	if i := slices.Index(leadingFields, key); i >= 0 {
		return i
	}
	if key == "status" {
		return len(leadingFields) + 1
	}
	return len(leadingFields)
}
