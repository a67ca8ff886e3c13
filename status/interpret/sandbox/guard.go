package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The prices of values that a script makes, in units of work.
const (
	tablePrice   = 256 // a table gets room for 32 keys with its first
	entryPrice   = 12
	placePrice   = 3
	closurePrice = 512
)

// guards returns the functions behind guardNames, in the same order.
func guards() []lua.LGFunction {
	return []lua.LGFunction{concat, length, key, making, arguments, operandValue}
}

// concat implements a .. b for strings and numbers.
func concat(l *lua.LState) int {
	n := 0
	for i := range l.GetTop() {
		v := l.Get(i + 1)
		if !lua.LVCanConvToString(v) {
			l.RaiseError("attempt to concatenate a %s value", v.Type())
		}
		n += len(lua.LVAsString(v))
	}
	checkLength(l, n)
	var b strings.Builder
	b.Grow(n)
	for i := range l.GetTop() {
		b.WriteString(lua.LVAsString(l.Get(i + 1)))
	}
	return PushString(l, b.String())
}

// length implements #a.
func length(l *lua.LState) int {
	switch v := l.Get(1).(type) {
	case lua.LString:
		l.Push(lua.LNumber(len(v)))
	case *lua.LTable:
		Pay(l, budgetOf(l).walk())
		l.Push(lua.LNumber(v.Len()))
	default:
		l.RaiseError("attempt to get length of a %s value", v.Type())
	}
	return 1
}

// key charges for a[k] = v, given a and k, or nil and k when a is not known, and returns k.
func key(l *lua.LState) int {
	table, _ := l.Get(1).(*lua.LTable)
	k := l.Get(2)
	payKey(l, table, k)
	l.Push(k)
	return 1
}

// payKey charges for the memory that a table may need for a key.
func payKey(l *lua.LState, table *lua.LTable, k lua.LValue) {
	switch k := k.(type) {
	case lua.LNumber:
		payPlace(l, table, k)
	case lua.LString:
		if table != nil && table.RawGetString(string(k)) != lua.LNil {
			return
		}
		payEntry(l)
	case *lua.LNilType:
		l.RaiseError("a table has no key that is nil")
	default:
		payEntry(l)
	}
}

// payPlace charges for an index of a list. Indexes between the end of the list and a new one are allocated, too.
func payPlace(l *lua.LState, table *lua.LTable, k lua.LNumber) {
	i := int(k)
	if lua.LNumber(i) != k || i < 1 || i >= lua.MaxArrayIndex {
		payEntry(l)
		return
	}
	next := table != nil && (i == 1 || table.RawGetInt(i) != lua.LNil || table.RawGetInt(i-1) != lua.LNil)
	if next {
		Pay(l, placePrice)
	} else {
		Pay(l, placePrice*(1+int64(i)))
	}
	budgetOf(l).reaches(i)
}

// payEntry charges for a key that is no index of a list.
func payEntry(l *lua.LState) {
	b := budgetOf(l)
	b.keys++
	b.reaches(int(b.keys))
	Pay(l, entryPrice)
}

// making charges for a new table, given it and the number of its written fields, or for a function, and returns it.
func making(l *lua.LState) int {
	table, ok := l.Get(1).(*lua.LTable)
	if !ok {
		Pay(l, closurePrice)
		l.Push(l.Get(1))
		return 1
	}
	n := int64(l.CheckInt(2))
	Pay(l, tablePrice+n*entryPrice)
	n = max(n, int64(table.Len()))
	Pay(l, n*placePrice)
	budgetOf(l).reaches(int(n))
	l.Push(table)
	return 1
}

// arguments charges for copying "..." and returns it.
func arguments(l *lua.LState) int {
	Pay(l, int64(l.GetTop()))
	return l.GetTop()
}

// maxNumeral limits the bytes of a string that is used as a number.
const maxNumeral = 64

// operandValue charges for an operand of an operator: a string is parsed as a number, which takes time and memory.
func operandValue(l *lua.LState) int {
	v := l.Get(1)
	if s, ok := v.(lua.LString); ok {
		if len(s) > maxNumeral {
			l.RaiseError("a string of %d bytes is no number", len(s))
		}
		Pay(l, int64(len(s)))
	}
	l.Push(v)
	return 1
}
