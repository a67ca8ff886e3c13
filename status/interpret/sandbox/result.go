package sandbox

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// Result is a value that a script returned, with the remaining budget of its call: reading the value costs work.
type Result struct {
	value    lua.LValue
	function string
	budget   *budget
}

// Type returns the name of the value's type in Lua: "nil", "boolean", "number", "string", "table".
func (r Result) Type() string { return r.value.Type().String() }

// Bool returns the value if it is a boolean.
func (r Result) Bool() (value, ok bool) {
	b, ok := r.value.(lua.LBool)
	return bool(b), ok
}

// Number returns the value if it is a number.
func (r Result) Number() (value float64, ok bool) {
	n, ok := r.value.(lua.LNumber)
	return float64(n), ok
}

// Text returns the value if it is a string.
func (r Result) Text() (value string, ok bool) {
	s, ok := r.value.(lua.LString)
	return string(s), ok
}

// JSON returns the value as JSON, settled like the given values (see Settle). An empty table that none of them has is nil.
func (r Result) JSON(like ...any) (any, error) {
	v, err := reader{r.budget}.value(r.value, "", 0)
	if err != nil {
		return nil, err
	}
	settled, _ := settle(v, like...)
	return settled, nil
}

// Object is JSON of a value that must be a table with names for keys, or empty.
func (r Result) Object(like ...any) (map[string]any, error) {
	v, err := r.JSON(like...)
	if err != nil {
		return nil, err
	}
	if v == nil && r.value != lua.LNil {
		return map[string]any{}, nil
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s returns a %s, and not an object", r.function, r.Type())
	}
	return object, nil
}

// List is JSON of a value that must be a list; nil and an empty table are an empty one.
func (r Result) List() ([]any, error) {
	v, err := r.JSON()
	if err != nil || v == nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s returns a %s, and not a list", r.function, r.Type())
	}
	return list, nil
}

// FromLua returns a value of a script as JSON, for a function that a Module adds; the call pays for reading it.
func FromLua(l *lua.LState, v lua.LValue) (any, error) {
	read, err := reader{budgetOf(l)}.value(v, "", 0)
	if err != nil {
		return nil, err
	}
	settled, _ := settle(read)
	return settled, nil
}
