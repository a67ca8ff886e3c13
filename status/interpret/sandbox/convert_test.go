package sandbox

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// there makes a Lua value of a JSON value, and back.
func there(t testing.TB, v any, like ...any) (any, bool) {
	t.Helper()
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	b := newBudget()
	l.SetContext(b)
	got, err := reader{b}.value(ToLua(l, v), "", 0)
	require.NoError(t, err)
	return settle(got, like...)
}

// TestConversion has a row for every kind of value: what is given, what the objects have in its place, what comes back.
func TestConversion(t *testing.T) {
	for _, c := range []struct {
		name       string
		give, like any
		want       any
	}{
		{"a string", "a", nil, "a"},
		{"no string of UTF-8", "a\xff", nil, "a\uFFFD"},
		{"true", true, nil, true},
		{"a whole number", int64(7), nil, int64(7)},
		{"a whole float", 7.0, nil, int64(7)},
		{"a fraction", 7.5, nil, 7.5},
		{"an int", 7, nil, int64(7)},
		{"an int32", int32(7), nil, int64(7)},
		{"a large number that is known", int64(9007199254740993), int64(9007199254740993), int64(9007199254740993)},
		{"a large number that is not", int64(9007199254740993), int64(5), int64(9007199254740992)},
		{"a number beyond all", 1e300, nil, 1e300},
		{"null", nil, nil, nil},
		{"a null field", map[string]any{"a": nil, "b": "x"}, nil, map[string]any{"b": "x"}},
		{"a list", []any{"a", int64(1)}, nil, []any{"a", int64(1)}},
		{"a null at the end", []any{"a", nil}, nil, []any{"a"}},
		{"an empty field that is a list", map[string]any{"a": []any{}}, map[string]any{"a": []any{"b"}}, map[string]any{"a": []any{}}},
		{"an empty field that is an object", map[string]any{"a": map[string]any{}}, map[string]any{"a": map[string]any{"b": "c"}}, map[string]any{"a": map[string]any{}}},
		{"an empty field that nobody knows", map[string]any{"a": map[string]any{}, "b": "x"}, map[string]any{"a": "text"}, map[string]any{"b": "x"}},
		{"an empty entry that nobody knows", []any{map[string]any{}, "x"}, nil, []any{map[string]any{}, "x"}},
		{"an empty entry that is a list", []any{"x", []any{}}, []any{nil, []any{"y"}}, []any{"x", []any{}}},
		{"fields that look like numbers", map[string]any{"1": "a", "2": "b"}, nil, map[string]any{"1": "a", "2": "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := there(t, c.give, c.like)
			require.True(t, ok)
			require.Equal(t, c.want, got)
		})
	}
	_, ok := there(t, map[string]any{})
	require.False(t, ok, "nobody knows")
}

// TestNoJSON has a row for every table that JSON does not have.
func TestNoJSON(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a function", "return {a = {b = print}}", "a.b is a function, and nothing that JSON has"},
		{"a function alone", "return print", "the result is a function"},
		{"infinity", "return {a = 1 / 0}", "a is not a number"},
		{"not a number", "return {a = {[1] = 0 / 0}}", "a[1] is not a number"},
		{"holes", "return {a = {1, nil, 3}}", "a is a list with holes"},
		{"not from one", "return {[2] = 1}", "the result is a list with holes"},
		{"half and half", "return {a = {1, b = 2}}", "a is half an object and half a list"},
		{"half and half, names first", "local t = {b = 2} t[0.5] = 1 return t", "half an object and half a list"},
		{"a table for a key", "return {[{}] = 1}", "has a table for a key"},
		{"a cycle", "local t = {} t.t = t return t", "nested too deeply"},
		{"a table in more places than there is memory for", "local t = {1} for i = 1, 60 do t = {t, t} end return t", "too much"},
		{"a long string in many places", "local t, s = {}, string.rep('x', 1000000) for i = 1, 1000 do t[i] = s end return t", "too much"},
		{"a list", "return {1}", "returns a table, and not an object"},
		{"a string", "return 'x'", "returns a string, and not an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := compiled(t, "function answer() "+c.body+" end")
			require.NoError(t, err)
			out, _, err := s.Call()
			require.NoError(t, err)
			_, err = out.Object()
			require.ErrorContains(t, err, c.want)
		})
	}
}

// FuzzConversion: what a script returns as it is was given is what it was, but for nulls and the digits of large fractions.
func FuzzConversion(f *testing.F) {
	f.Add(`{"a":[],"b":{},"c":[{},[],1,2.5,"x",true,null],"d":9007199254740993,"e":-0.0,"f":1e300}`)
	f.Add(`{"1":1,"":{"":[[[]]]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var v map[string]any
		if utiljson.Unmarshal([]byte(text), &v) != nil || v == nil || deep(v, 0) {
			return
		}
		v, _ = withoutNulls(v).(map[string]any)
		got, ok := there(t, v, v)
		require.True(t, ok)
		want, err := json.Marshal(v)
		require.NoError(t, err)
		var normal map[string]any
		require.NoError(t, utiljson.Unmarshal(want, &normal))
		again, err := json.Marshal(got)
		require.NoError(t, err)
		var gotNormal map[string]any
		require.NoError(t, utiljson.Unmarshal(again, &gotNormal))
		require.Equal(t, floats(normal), floats(gotNormal))
	})
}

// deep says whether a value is nested deeper than scripts may return.
func deep(v any, level int) bool {
	if level >= maxLevels-1 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, field := range v {
			if deep(field, level+1) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if deep(item, level+1) {
				return true
			}
		}
	}
	return false
}

// withoutNulls leaves out what Lua has no word for.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, field := range v {
			if field = withoutNulls(field); field != nil {
				out[k] = field
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if item = withoutNulls(item); item != nil {
				out = append(out, item)
			}
		}
		return out
	}
	return v
}

// floats makes all numbers comparable, but keeps the digits of integers.
func floats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, field := range v {
			v[k] = floats(field)
		}
	case []any:
		for i, item := range v {
			v[i] = floats(item)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}

// FuzzScript: no script makes Go panic, runs without end, or is told of without a place.
func FuzzScript(f *testing.F) {
	for _, s := range []string{
		thousand, "function answer(o) return #o .. o.a .. ... end", "answer = function(...) local a, b = ... return a, ... end",
		"local t = {f(), ...; [1] = 2, x = function() end} t.a.b[1], t[2] = 1 goto e ::e:: function answer() end",
		"function answer(o) for w in ('a b'):gmatch('(%a)()') do o[w] = string.format('%5.1f%q', 1, w) end return o end",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 4<<10 {
			return
		}
		s, err := compiled(t, body)
		if err != nil {
			require.IsType(t, &Error{}, err)
			return
		}
		first, _, err := s.Call(map[string]any{"a": "b", "list": []any{int64(1)}})
		if err != nil {
			require.IsType(t, &Error{}, err)
			return
		}
		again, _, err := s.Call(map[string]any{"a": "b", "list": []any{int64(1)}})
		require.NoError(t, err)
		require.Equal(t, first.budget.left, again.budget.left)
		a, errA := first.JSON()
		b, errB := again.JSON()
		require.Equal(t, errA == nil, errB == nil)
		require.Equal(t, a, b)
	})
}
