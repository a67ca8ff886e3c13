package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// at is the value at a path, or nil. It never panics, whatever the shape of the object.
func at(m map[string]any, path ...string) any {
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

// number reads an integer, as JSON (int64), YAML (float64) or Go code (int) left it; ok is false if there is none.
func number(v any) (n int64, ok bool) {
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

// count reads a counter; absent is 0, as the API leaves out zeros.
func count(m map[string]any, path ...string) int64 {
	n, _ := number(at(m, path...))
	return n
}

// countOr reads a number whose absence means something else than 0.
func countOr(absent int64, m map[string]any, path ...string) int64 {
	if n, ok := number(at(m, path...)); ok {
		return n
	}
	return absent
}

// text reads a string; anything else is "".
func text(m map[string]any, path ...string) string {
	s, _ := at(m, path...).(string)
	return s
}

// truth reads a boolean; anything else is false.
func truth(m map[string]any, path ...string) bool {
	b, _ := at(m, path...).(bool)
	return b
}

// maps reads a list of objects and leaves out what is none.
func maps(m map[string]any, path ...string) []map[string]any {
	list, _ := at(m, path...).([]any)
	out := make([]map[string]any, 0, len(list))
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// object reads an object; nil if there is none, and a nil object reads as empty.
func object(m map[string]any, path ...string) map[string]any {
	o, _ := at(m, path...).(map[string]any)
	return o
}

// statusOf is the status of a live object; nil if it has none.
func statusOf(u *unstructured.Unstructured) map[string]any {
	s, _ := u.Object["status"].(map[string]any)
	return s
}
