package interpret

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Retains reports whether a kind has a Retain script.
func (b *Book) Retains(gk schema.GroupKind) bool {
	p := b.of(gk)
	return p != nil && p.scripts[policy.Retention] != nil
}

// Retain returns the desired object with the fields that its kind's customization takes from the live one (Karmada §7.1
// Retain); desired itself without such a customization, and for a sensitive object, which no script may read. Retain
// returns an error if the script sets a field to a value that neither object has there: what reviewers have approved is
// desired, and the script runs after them.
func (b *Book) Retain(desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	gk := desired.GroupVersionKind().GroupKind()
	if !b.Retains(gk) || manifest.IsSensitive(desired) || manifest.IsSensitive(observed) {
		return desired, nil
	}
	content, err := b.of(gk).scripts[policy.Retention].retain(desired, observed)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// retain calls Retain(desired, observed), which returns the desired object with fields of the observed one.
func (s *script) retain(desired, observed *unstructured.Unstructured) (map[string]any, error) {
	out, _, err := s.call(desired.Object, observed.Object)
	if err != nil {
		return nil, err
	}
	result, err := s.object(out, desired, desired.Object, observed.Object)
	if err != nil {
		return nil, err
	}
	if path := strange("", result, desired.Object, observed.Object); path != "" {
		return nil, s.fail(fmt.Errorf("Retain changes %s to a value that the observed object does not have there: it may only keep observed values", path))
	}
	return result, nil
}

// absent stands for a field that an object does not have.
type absent struct{}

// strange returns the path of the first value of result that is neither the desired nor the observed one, and "" if there
// is none. The entries of a list may come from both lists in any order, but no desired entry may be lost.
func strange(path string, result, desired, observed any) string {
	if same(result, desired) || same(result, observed) {
		return ""
	}
	switch r := result.(type) {
	case map[string]any:
		d, _ := desired.(map[string]any)
		o, _ := observed.(map[string]any)
		if d == nil && o == nil {
			break
		}
		keys := maps.Clone(r)
		maps.Copy(keys, d)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if at := strange(join(path, key), field(r, key), field(d, key), field(o, key)); at != "" {
				return at
			}
		}
		return ""
	case []any:
		d, _ := desired.([]any)
		o, _ := observed.([]any)
		if d == nil && o == nil {
			break
		}
		return strangeEntry(path, r, d, o)
	}
	return path
}

func strangeEntry(path string, result, desired, observed []any) string {
	kept := make([]bool, len(desired))
	for i, entry := range result {
		d, o := counterpart(entry, i, desired), counterpart(entry, i, observed)
		var want, have any = absent{}, absent{}
		if d >= 0 {
			want = desired[d]
			for j := range desired {
				kept[j] = kept[j] || same(desired[j], want)
			}
		}
		if o >= 0 {
			have = observed[o]
		}
		if at := strange(fmt.Sprintf("%s[%d]", path, i), entry, want, have); at != "" {
			return at
		}
	}
	if slices.Contains(kept, false) {
		return path
	}
	return ""
}

// counterpart returns the index of the entry of list that an entry of a result stands for: the equal one, the one with the
// same name, or the one at the same place; -1 if there is none.
func counterpart(entry any, at int, list []any) int {
	if i := slices.IndexFunc(list, func(other any) bool { return same(entry, other) }); i >= 0 {
		return i
	}
	if m, ok := entry.(map[string]any); ok && m["name"] != nil {
		return slices.IndexFunc(list, func(other any) bool {
			o, ok := other.(map[string]any)
			return ok && same(m["name"], o["name"])
		})
	}
	if at < len(list) {
		return at
	}
	return -1
}

func field(m map[string]any, key string) any {
	if v, there := m[key]; there {
		return v
	}
	return absent{}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// same compares values that may have been through Lua, which has one type of number and one of empty list and map.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		if len(x) == 0 {
			return isEmpty(b)
		}
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, same)
	case []any:
		if len(x) == 0 {
			return isEmpty(b)
		}
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, same)
	case int64:
		if y, ok := b.(float64); ok {
			return float64(x) == y
		}
	case float64:
		if y, ok := b.(int64); ok {
			return x == float64(y)
		}
	}
	return a == b
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
