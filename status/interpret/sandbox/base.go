package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// protectedPrice is the price of a pcall: its error carries the stack of calls that led to it.
const protectedPrice = 512

// baseFunctions returns the globals of Lua except those that Karmada removes (§7.1). print discards its arguments.
func baseFunctions(l *lua.LState) []entry {
	global := l.G.Global
	protected := func(*lua.LState) int64 { return protectedPrice }
	walking := func(l *lua.LState) int64 { return budgetOf(l).walk() }
	next := l.NewFunction(paid(global.RawGetString("next"), walking))
	return sorted(
		taken(global, "ipairs", "select", "type"),
		[]entry{{"next", next}},
		own(l, map[string]lua.LGFunction{
			"assert":   paid(global.RawGetString("assert"), func(l *lua.LState) int64 { return messagePrice(l.Get(2)) }),
			"error":    paid(global.RawGetString("error"), func(l *lua.LState) int64 { return messagePrice(l.Get(1)) }),
			"pairs":    func(l *lua.LState) int { return pairs(l, next) },
			"pcall":    paid(global.RawGetString("pcall"), protected),
			"xpcall":   paid(global.RawGetString("xpcall"), protected),
			"print":    func(*lua.LState) int { return 0 },
			"tonumber": paid(global.RawGetString("tonumber"), func(l *lua.LState) int64 { return int64(len(l.Get(1).String())) }),
			"tostring": func(l *lua.LState) int { return PushString(l, toString(l.CheckAny(1))) },
			"unpack":   unpack,
		}),
	)
}

// messagePrice returns the price of an error, which copies its message.
func messagePrice(v lua.LValue) int64 {
	s, _ := v.(lua.LString)
	return 1 + int64(len(s))/bytesUnit
}

// pairs iterates in the order in which the keys were set; the keys of objects are set sorted.
func pairs(l *lua.LState, next lua.LValue) int {
	table := l.CheckTable(1)
	l.Push(next)
	l.Push(table)
	l.Push(lua.LNil)
	return 3
}

// toString omits addresses, so that a script returns the same value each time.
func toString(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LTable, *lua.LFunction, *lua.LUserData:
		return v.Type().String()
	}
	return v.String()
}

// maxUnpacked limits the values that unpack returns.
const maxUnpacked = 4 << 10

func unpack(l *lua.LState) int {
	table := l.CheckTable(1)
	from, to := l.OptInt(2, 1), l.OptInt(3, -1)
	if l.GetTop() < 3 {
		Pay(l, budgetOf(l).walk())
		to = table.Len()
	}
	if from > to {
		return 0
	}
	if to-from < 0 || to-from >= maxUnpacked {
		l.RaiseError("too many results to unpack")
	}
	n := to - from + 1
	Pay(l, int64(n))
	for i := range n {
		l.Push(table.RawGetInt(from + i))
	}
	return n
}

// Shorten cuts text from a script at 300 bytes.
func Shorten(s string) string {
	const most = 300
	s = strings.ToValidUTF8(s, "?")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
