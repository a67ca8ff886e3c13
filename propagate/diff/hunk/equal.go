package hunk

import (
	"math"
	"reflect"
)

// equal compares values as render.SumOf does: a whole number is equal as integer and float, and an empty list or map
// differs from an absent one.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && equalMaps(a, b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && a == b
	}
	return reflect.DeepEqual(number(a), number(b))
}

func equalMaps(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, v := range a {
		if w, ok := b[key]; !ok || !equal(v, w) {
			return false
		}
	}
	return true
}

// number returns v as an integer if v is a whole number that a float holds exactly.
func number(v any) any {
	switch n := v.(type) {
	case int:
		return int64(n)
	case int32:
		return int64(n)
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int64(n)
		}
	}
	return v
}
