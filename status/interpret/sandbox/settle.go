package sandbox

import "math"

// settle resolves two ambiguities of Lua values by the value at the same place of the objects in like, the first that
// has one. An empty table is a list or an object there, and is omitted if none has it (Karmada §7.1); a whole number
// that was too large for Lua gets its digits back. An empty table in a list stays, as an object, because omitting it
// would move the others. ok is false for an omitted value.
func settle(v any, like ...any) (settled any, ok bool) {
	switch v := v.(type) {
	case empty:
		return settleEmpty(like)
	case map[string]any:
		for k, field := range v {
			if field, ok := settle(field, fields(like, k)...); ok {
				v[k] = field
			} else {
				delete(v, k)
			}
		}
	case []any:
		for i, item := range v {
			if item, ok = settle(item, items(like, i)...); !ok {
				item = map[string]any{}
			}
			v[i] = item
		}
	case float64:
		return restore(v, like), true
	}
	return v, true
}

func settleEmpty(like []any) (any, bool) {
	for _, l := range like {
		switch l.(type) {
		case map[string]any:
			return map[string]any{}, true
		case []any:
			return []any{}, true
		}
	}
	return nil, false
}

// restore returns the number that became v in Lua; otherwise v, as an integer if it is one.
func restore(v float64, like []any) any {
	for _, l := range like {
		switch n := l.(type) {
		case int64:
			if float64(n) == v {
				return n
			}
		case float64:
			if n == v {
				return n
			}
		}
	}
	if v == math.Trunc(v) && math.Abs(v) < math.MaxInt64 {
		return int64(v)
	}
	return v
}

// fields returns the values at a key of the objects among like.
func fields(like []any, key string) []any {
	var out []any
	for _, l := range like {
		if object, ok := l.(map[string]any); ok {
			out = append(out, object[key])
		}
	}
	return out
}

// items returns the values at an index of the lists among like.
func items(like []any, i int) []any {
	var out []any
	for _, l := range like {
		if list, ok := l.([]any); ok && i < len(list) {
			out = append(out, list[i])
		}
	}
	return out
}
