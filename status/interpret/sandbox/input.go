package sandbox

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// ToLua returns a JSON value in Lua. Keys are set sorted, so that a script iterates in the same order each time; null
// is absent. Whole numbers beyond 2^53 lose digits in Lua; see restore.
func ToLua(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case map[string]any:
		return objectToLua(l, v)
	case []any:
		return listToLua(l, v)
	case string:
		budgetOf(l).sees(v)
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case int32:
		return lua.LNumber(v)
	case int:
		return lua.LNumber(v)
	}
	return lua.LNil
}

func objectToLua(l *lua.LState, o map[string]any) lua.LValue {
	t := l.CreateTable(0, len(o))
	budgetOf(l).reaches(len(o))
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if v := ToLua(l, o[k]); v != lua.LNil {
			t.RawSetString(k, v)
		}
	}
	return t
}

func listToLua(l *lua.LState, list []any) lua.LValue {
	t := l.CreateTable(len(list), 0)
	budgetOf(l).reaches(len(list))
	for i, v := range list {
		t.RawSetInt(i+1, ToLua(l, v))
	}
	return t
}
