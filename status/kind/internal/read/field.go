// Package read reads fields of unstructured objects of any shape.
package read

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// At returns the value at a path, or nil. It never panics, whatever the shape of the object.
func At(m map[string]any, path ...string) any {
	var v any = m
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}

// Number returns an integer that JSON (int64), YAML (float64) or Go code (int) left; ok is false if there is none.
func Number(v any) (n int64, ok bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case float64:
		return int64(v), true
	case int32:
		return int64(v), true
	case int:
		return int64(v), true
	}
	return 0, false
}

// Count returns a counter; 0 if it is absent, because the API omits zeros.
func Count(m map[string]any, path ...string) int64 {
	n, _ := Number(At(m, path...))
	return n
}

// CountOr returns a number whose absence means something other than 0.
func CountOr(absent int64, m map[string]any, path ...string) int64 {
	if n, ok := Number(At(m, path...)); ok {
		return n
	}
	return absent
}

// Text returns a string; "" for any other value.
func Text(m map[string]any, path ...string) string {
	s, _ := At(m, path...).(string)
	return s
}

// Bool returns a boolean; false for any other value.
func Bool(m map[string]any, path ...string) bool {
	b, _ := At(m, path...).(bool)
	return b
}

// Objects returns the objects of a list.
func Objects(m map[string]any, path ...string) []map[string]any {
	list, _ := At(m, path...).([]any)
	out := make([]map[string]any, 0, len(list))
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// Object returns an object; nil if there is none. All fields of a nil object read as empty.
func Object(m map[string]any, path ...string) map[string]any {
	o, _ := At(m, path...).(map[string]any)
	return o
}

// Status returns the status of a live object; nil if it has none.
func Status(u *unstructured.Unstructured) map[string]any {
	s, _ := u.Object["status"].(map[string]any)
	return s
}
