package interpret

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The prices of what a script makes, in units of work.
const (
	tablePrice   = 256 // a table gets room for 32 keys with its first
	entryPrice   = 12
	placePrice   = 3
	closurePrice = 512
)

// guards are the functions behind guardNames, in the same order.
func guards() []lua.LGFunction {
	return []lua.LGFunction{concat, length, key, making, arguments, operandValue}
}

// concat is a .. b: strings and numbers, nothing else.
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
	return pushString(l, b.String())
}

// length is #a.
func length(l *lua.LState) int {
	switch v := l.Get(1).(type) {
	case lua.LString:
		l.Push(lua.LNumber(len(v)))
	case *lua.LTable:
		pay(l, budgetOf(l).walk())
		l.Push(lua.LNumber(v.Len()))
	default:
		l.RaiseError("attempt to get length of a %s value", v.Type())
	}
	return 1
}

// key pays for a[k] = v, given a and k, or nil and k when a is not known; it returns k.
func key(l *lua.LState) int {
	table, _ := l.Get(1).(*lua.LTable)
	k := l.Get(2)
	payKey(l, table, k)
	l.Push(k)
	return 1
}

// payKey pays for what a table may have to keep for a key.
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

// payPlace pays for a place of a list. Places between its end and a new one are made, too.
func payPlace(l *lua.LState, table *lua.LTable, k lua.LNumber) {
	i := int(k)
	if lua.LNumber(i) != k || i < 1 || i >= lua.MaxArrayIndex {
		payEntry(l)
		return
	}
	next := table != nil && (i == 1 || table.RawGetInt(i) != lua.LNil || table.RawGetInt(i-1) != lua.LNil)
	if next {
		pay(l, placePrice)
	} else {
		pay(l, placePrice*(1+int64(i)))
	}
	budgetOf(l).reaches(i)
}

// payEntry pays for a key that is no place of a list.
func payEntry(l *lua.LState) {
	b := budgetOf(l)
	b.keys++
	b.reaches(int(b.keys))
	pay(l, entryPrice)
}

// making pays for a new table, given it and how many fields are written in it, or for a function, and returns it.
func making(l *lua.LState) int {
	table, ok := l.Get(1).(*lua.LTable)
	if !ok {
		pay(l, closurePrice)
		l.Push(l.Get(1))
		return 1
	}
	n := int64(l.CheckInt(2))
	pay(l, tablePrice+n*entryPrice)
	n = max(n, int64(table.Len()))
	pay(l, n*placePrice)
	budgetOf(l).reaches(int(n))
	l.Push(table)
	return 1
}

// arguments is ...: it pays for copying them.
func arguments(l *lua.LState) int {
	pay(l, int64(l.GetTop()))
	return l.GetTop()
}

// maxNumeral is how long a string may be that stands for a number.
const maxNumeral = 64

// operandValue is an operand of an operator: a string in its place is read as a number, which takes time and memory.
func operandValue(l *lua.LState) int {
	v := l.Get(1)
	if s, ok := v.(lua.LString); ok {
		if len(s) > maxNumeral {
			l.RaiseError("a string of %d bytes is no number", len(s))
		}
		pay(l, int64(len(s)))
	}
	l.Push(v)
	return 1
}
