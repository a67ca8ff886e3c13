// Package mutation compares the applied fields of an object with the live ones. A mutating admission policy or webhook changes
// a value while accord still owns the field, so that the ownership of fields does not show the change.
package mutation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

const (
	// maxFields bounds the fields that Compare returns.
	maxFields = 5
	// maxValue is the longest text of a value, and maxPath that of a path, in bytes.
	maxValue = 64
	maxPath  = 160
)

// Describe returns the fields as one text.
func Describe(fields []v1alpha1.MutatedField) string {
	var texts []string
	for _, f := range fields {
		texts = append(texts, f.String())
	}
	return strings.Join(texts, ", ")
}

// Compare returns the fields of applied that accord owns in live and that have another value there, at most five, in the order
// of their paths. It skips the yielded fields. Values that the API server writes in another form (quantities, durations, times)
// are equal, and an empty value equals an absent one. Objects of different API versions are not compared.
func Compare(applied, live map[string]any, yielded []ownership.Yielded, owners ownership.Managers) []v1alpha1.MutatedField {
	if applied["apiVersion"] != live["apiVersion"] || applied["kind"] != live["kind"] {
		return nil
	}
	if holds(applied, live) {
		return nil
	}
	version, _ := applied["apiVersion"].(string)
	kind, _ := applied["kind"].(string)
	c := comparison{secret: manifest.IsSecretKind(version, kind)}
	for _, l := range yielded {
		c.skipped = append(c.skipped, l.Path)
	}
	if c.secret {
		c.skipped = append(c.skipped, "stringData") // the API server moves it into data
	}
	c.object(owners.Ours().Set(), applied, live, "")
	return c.found[:min(len(c.found), maxFields)]
}

// holds reports whether live has every value of applied, with lists in the same order. Most objects do, and the ownership of
// their fields is not decoded.
func holds(applied, live any) bool {
	switch want := applied.(type) {
	case nil:
		return true
	case map[string]any:
		got, _ := live.(map[string]any)
		for key, v := range want {
			if !holds(v, got[key]) {
				return false
			}
		}
		return true
	case []any:
		got, _ := live.([]any)
		if len(got) != len(want) {
			return false
		}
		for i, item := range want {
			if !holds(item, got[i]) {
				return false
			}
		}
		return true
	}
	return same(applied, live)
}

// comparison collects the differing fields of one object.
type comparison struct {
	skipped []string // paths
	secret  bool
	found   []v1alpha1.MutatedField
}

func (c *comparison) add(path string, applied, live any) {
	f := v1alpha1.MutatedField{Field: phrase.Cut(strings.ToValidUTF8(path, "?"), maxPath)}
	if !c.secret {
		f.Applied, f.Live = textOf(applied), textOf(live)
	}
	c.found = append(c.found, f)
}

// object compares the fields of an object that are in a set of owned fields.
func (c *comparison) object(owned *fieldpath.Set, applied, live map[string]any, at string) {
	for _, key := range slices.Sorted(maps.Keys(applied)) {
		path := below(at, key)
		if slices.Contains(c.skipped, path) {
			continue
		}
		e := fieldpath.FieldNameElement(key)
		c.element(owned, e, applied[key], live[key], path)
	}
}

func (c *comparison) element(owned *fieldpath.Set, e fieldpath.PathElement, applied, live any, path string) {
	inside, ok := owned.Children.Get(e)
	if !ok { // a leaf, or a map or list that is one value to the API server
		if owned.Members.Has(e) {
			c.value(applied, live, path)
		}
		return
	}
	switch want := applied.(type) {
	case map[string]any:
		got, _ := live.(map[string]any)
		c.object(inside, want, got, path)
	case []any:
		c.items(inside, want, live, path)
	}
}

// items compares the items of a list that are owned one by one. An object of the list may have several keys, where the API
// server defaults a key field.
func (c *comparison) items(owned *fieldpath.Set, applied []any, live any, path string) {
	for _, item := range applied {
		object, ok := item.(map[string]any)
		if !ok {
			continue // a value of a set: it is owned, or the API server has no such item
		}
		var best *comparison
		for _, e := range ownership.KeysOf(owned, object) {
			try := &comparison{skipped: c.skipped, secret: c.secret}
			try.element(owned, e, object, ownership.Child(live, e), path+"["+labelOf(e)+"]")
			if best == nil || len(try.found) < len(best.found) {
				best = try
			}
		}
		if best != nil {
			c.found = append(c.found, best.found...)
		}
	}
}

// labelOf returns the key of an item: "web" or "containerPort=80,protocol=TCP".
func labelOf(e fieldpath.PathElement) string {
	if e.Key == nil {
		return e.String()
	}
	var parts []string
	for _, f := range *e.Key {
		text := strings.Trim(textOf(f.Value.Unstructured()), `"`)
		if f.Name == "name" && len(*e.Key) == 1 {
			return text
		}
		parts = append(parts, f.Name+"="+text)
	}
	return strings.Join(parts, ",")
}

// value compares a value that is owned as a whole.
func (c *comparison) value(applied, live any, path string) {
	switch want := applied.(type) {
	case map[string]any:
		got, _ := live.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			c.value(want[key], got[key], below(path, key)) // the API server may add defaults
		}
	case []any:
		got, _ := live.([]any)
		c.list(want, got, path)
	default:
		bytes := c.secret || strings.HasPrefix(path, "binaryData")
		if !same(applied, live) && !assigned(applied, path) && !(bytes && sameBytes(applied, live)) {
			c.add(path, applied, live)
		}
	}
}

func (c *comparison) list(applied, live []any, path string) {
	if len(applied) == len(live) {
		for i := range applied {
			c.value(applied[i], live[i], fmt.Sprintf("%s[%d]", path, i))
		}
		return
	}
	if len(applied) > 0 && !extended(applied, live) {
		c.add(path, applied, live)
	}
}

// extended reports whether live has the objects of applied in their order, and others: admission adds tolerations to a Pod. A
// scalar that is added to a list changes the meaning of the list.
func extended(applied, live []any) bool {
	for _, item := range applied {
		if _, object := item.(map[string]any); !object {
			return false
		}
		i := slices.IndexFunc(live, func(other any) bool { return holds(item, other) })
		if i < 0 {
			return false
		}
		live = live[i+1:]
	}
	return true
}

func below(at, key string) string {
	if strings.ContainsAny(key, "./") {
		return at + "[" + key + "]"
	}
	return strings.TrimPrefix(at+"."+key, ".")
}

// textOf returns a value as JSON, shortened; empty for nil.
func textOf(v any) string {
	if v == nil {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return phrase.Cut(string(text), maxValue)
}
