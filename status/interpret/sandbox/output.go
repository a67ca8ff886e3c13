package sandbox

import (
	"errors"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const (
	// maxLevels limits the nesting of a returned value.
	maxLevels = 100
	// exact bounds the whole numbers that Lua represents exactly.
	exact = 1 << 53
)

// empty is an empty table: an object or a list, see settle.
type empty struct{}

// reader converts Lua values to JSON values. Every value costs work: a table can occur in another one many times.
type reader struct{ budget *budget }

// value returns v as JSON: exact whole numbers as int64, an empty table as empty{}, nil as nil.
func (r reader) value(v lua.LValue, path string, level int) (any, error) {
	if !r.budget.charge(entryPrice) {
		return nil, errSpent
	}
	switch v := v.(type) {
	case *lua.LNilType:
		return nil, nil
	case lua.LBool:
		return bool(v), nil
	case lua.LString:
		if !r.budget.charge(int64(len(v)) / bytesUnit) {
			return nil, errSpent
		}
		return strings.ToValidUTF8(string(v), "\uFFFD"), nil
	case lua.LNumber:
		return numeral(float64(v), path)
	case *lua.LTable:
		if level == maxLevels {
			return nil, errors.New("the result is nested too deeply")
		}
		return r.table(v, path, level+1)
	case *lua.LUserData:
		switch v {
		case emptyList:
			return []any{}, nil
		case emptyObject:
			return map[string]any{}, nil
		}
	}
	return nil, fmt.Errorf("%s is a %s, and nothing that JSON has", named(path), v.Type())
}

func numeral(n float64, path string) (any, error) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, fmt.Errorf("%s is not a number", named(path))
	}
	if n == math.Trunc(n) && math.Abs(n) < exact {
		return int64(n), nil
	}
	return n, nil
}

func (r reader) table(t *lua.LTable, path string, level int) (any, error) {
	first, _ := t.Next(lua.LNil)
	switch first.(type) {
	case *lua.LNilType:
		return empty{}, nil
	case lua.LString:
		return r.object(t, path, level)
	case lua.LNumber:
		return r.list(t, path, level)
	}
	return nil, fmt.Errorf("%s has a %s for a key", named(path), first.Type())
}

func (r reader) object(t *lua.LTable, path string, level int) (any, error) {
	object := map[string]any{}
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		name, ok := k.(lua.LString)
		if !ok {
			return nil, fmt.Errorf("%s is half an object and half a list", named(path))
		}
		field, err := r.value(v, below(path, string(name)), level)
		if err != nil {
			return nil, err
		}
		object[string(name)] = field
	}
	return object, nil
}

func (r reader) list(t *lua.LTable, path string, level int) (any, error) {
	var list []any
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		i, ok := k.(lua.LNumber)
		if !ok {
			return nil, fmt.Errorf("%s is half an object and half a list", named(path))
		}
		if int(i) != len(list)+1 {
			return nil, fmt.Errorf("%s is a list with holes", named(path))
		}
		item, err := r.value(v, fmt.Sprintf("%s[%d]", path, int(i)), level)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

func below(path, name string) string { return path + "." + Shorten(name) }

func named(path string) string {
	if path == "" {
		return "the result"
	}
	return strings.TrimPrefix(path, ".")
}
