package override

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// patch applies one add, remove or replace of RFC 6902 at the JSON pointer path and returns the document, which is
// changed in place where it can be. Parents are never made. As in Karmada, a negative index counts from the end.
func patch(doc any, operator, path string, value any) (any, error) {
	if operator != "add" && operator != "remove" && operator != "replace" {
		return nil, fmt.Errorf("unknown operator %q, expected add, remove or replace", operator)
	}
	if path == "" {
		if operator == "remove" {
			return nil, errors.New("the whole object cannot be removed")
		}
		return value, nil
	}
	rest, ok := strings.CutPrefix(path, "/")
	if !ok {
		return nil, errors.New("the path does not begin with /")
	}
	return patchAt(doc, strings.Split(rest, "/"), operator, value)
}

// patchAt patches below node and returns what takes its place.
func patchAt(node any, keys []string, operator string, value any) (any, error) {
	key := unescape(keys[0])
	switch node := node.(type) {
	case map[string]any:
		return patchMap(node, key, keys[1:], operator, value)
	case []any:
		return patchList(node, key, keys[1:], operator, value)
	}
	return nil, fmt.Errorf("there is nothing below the value before %q; add the parent first", key)
}

func patchMap(m map[string]any, key string, below []string, operator string, value any) (any, error) {
	child, exists := m[key]
	if !exists && (len(below) > 0 || operator != "add") {
		return nil, fmt.Errorf("there is no %q", key)
	}
	if len(below) > 0 {
		patched, err := patchAt(child, below, operator, value)
		if err != nil {
			return nil, err
		}
		m[key] = patched
		return m, nil
	}
	if operator == "remove" {
		delete(m, key)
		return m, nil
	}
	m[key] = value
	return m, nil
}

func patchList(list []any, key string, below []string, operator string, value any) (any, error) {
	inserts := operator == "add" && len(below) == 0
	i, err := index(key, len(list), inserts)
	if err != nil {
		return nil, err
	}
	switch {
	case len(below) > 0:
		patched, err := patchAt(list[i], below, operator, value)
		if err != nil {
			return nil, err
		}
		list[i] = patched
		return list, nil
	case inserts:
		return slices.Insert(list, i, value), nil
	case operator == "remove":
		return slices.Delete(list, i, i+1), nil
	}
	list[i] = value
	return list, nil
}

// index reads an array index; one that inserts may be the length, which "-" also means.
func index(key string, length int, inserts bool) (int, error) {
	if inserts {
		length++
		if key == "-" {
			return length - 1, nil
		}
	}
	i, err := strconv.Atoi(key)
	if err != nil || i >= length || i < -length {
		return 0, fmt.Errorf("%q is not an index of the list", key)
	}
	if i < 0 {
		i += length
	}
	return i, nil
}

// unescape reads one token of a JSON pointer (RFC 6901).
func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// escape writes one.
func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
