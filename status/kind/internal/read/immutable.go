package read

import (
	stdmaps "maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Fixed are fields that the API server never changes, by their paths, each with the value that its absence means.
type Fixed map[string]any

// Changed is the Immutable of a kind that has only such fields.
func (f Fixed) Changed(before, after *unstructured.Unstructured) []string {
	var paths []string
	for _, path := range slices.Sorted(stdmaps.Keys(f)) {
		steps := strings.Split(path, ".")
		was, is := At(before.Object, steps...), At(after.Object, steps...)
		if was == nil {
			was = f[path]
		}
		if is == nil {
			is = f[path]
		}
		if !Equal(was, is) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Equal compares values as the API server stores them: empty is absent, and a number is the same however it is written.
func Equal(a, b any) bool { return reflect.DeepEqual(tidy(a), tidy(b)) }

// tidy returns v without its empty parts; nil if all of it is empty.
func tidy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key := range v {
			if t := tidy(v[key]); t != nil {
				out[key] = t
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = tidy(v[i])
		}
		return out
	}
	if n, ok := Number(v); ok && !fraction(v) {
		return n
	}
	return v
}

// fraction reports whether a number is not whole.
func fraction(v any) bool {
	f, ok := v.(float64)
	return ok && f != float64(int64(f))
}

// Keys returns the keys of both, sorted.
func Keys(a, b map[string]any) []string {
	all := slices.AppendSeq(slices.Collect(stdmaps.Keys(a)), stdmaps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
