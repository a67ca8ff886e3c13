package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// tableFunctions returns the functions of table; those that walk over a list pay for that.
func tableFunctions(l *lua.LState) []entry {
	from := l.GetGlobal("table").(*lua.LTable)
	walking := func(l *lua.LState) int64 { return budgetOf(l).walk() }
	sorting := func(l *lua.LState) int64 { return sortPrice * budgetOf(l).each * int64(1+l.CheckTable(1).Len()) }
	return sorted(own(l, map[string]lua.LGFunction{
		"concat": tableConcat,
		"getn":   paid(from.RawGetString("getn"), walking),
		"insert": tableInsert(from.RawGetString("insert")),
		"maxn":   paid(from.RawGetString("maxn"), walking),
		"remove": paid(from.RawGetString("remove"), walking),
		"sort":   paid(from.RawGetString("sort"), sorting),
	}))
}

// sortPrice is charged for each entry of a sorted list: the comparisons that a long list needs, at the price of an
// instruction each. The work of a comparing function is counted in addition.
const sortPrice = 24

// tableInsert charges like an assignment, and for moving the entries behind.
func tableInsert(insert lua.LValue) lua.LGFunction {
	return paid(insert, func(l *lua.LState) int64 {
		table, walk := l.CheckTable(1), budgetOf(l).walk()
		place := lua.LValue(lua.LNumber(table.Len() + 1))
		if l.GetTop() > 2 {
			place = l.CheckNumber(2)
		}
		payKey(l, table, place)
		budgetOf(l).reaches(table.Len() + 1)
		return walk
	})
}

func tableConcat(l *lua.LState) int {
	table, separator := l.CheckTable(1), l.OptString(2, "")
	Pay(l, budgetOf(l).walk())
	n := table.Len()
	from, to := max(l.OptInt(3, 1), 1), min(l.OptInt(4, n), n)
	var b strings.Builder
	for i := from; i <= to; i++ {
		v := table.RawGetInt(i)
		if !lua.LVCanConvToString(v) {
			l.RaiseError("invalid value (%s) at index %d in table for concat", v.Type(), i)
		}
		if i > from {
			b.WriteString(separator)
		}
		text := lua.LVAsString(v)
		b.WriteString(text)
		checkLength(l, b.Len())
		payBytes(l, len(separator)+len(text))
	}
	return PushString(l, b.String())
}
