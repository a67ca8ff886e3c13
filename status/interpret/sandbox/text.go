package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// stringFunctions returns the functions of string. Pattern matching is our own (pattern.go): gopher-lua's can run for
// hours in one call.
func stringFunctions(l *lua.LState) []entry {
	from := l.GetGlobal("string").(*lua.LTable)
	copying := func(l *lua.LState) int64 { return 1 + int64(len(l.CheckString(1)))/bytesUnit }
	return sorted(
		taken(from, "char", "len", "sub"),
		own(l, map[string]lua.LGFunction{
			"byte":    paid(from.RawGetString("byte"), eachByte),
			"find":    stringFind,
			"format":  stringFormat,
			"gmatch":  stringGmatch,
			"gfind":   stringGmatch,
			"gsub":    stringGsub,
			"lower":   paid(from.RawGetString("lower"), copying),
			"match":   stringMatch,
			"rep":     stringRep,
			"reverse": paid(from.RawGetString("reverse"), copying),
			"upper":   paid(from.RawGetString("upper"), copying),
		}),
	)
}

// eachByte returns the price of string.byte, which returns a number for each byte.
func eachByte(l *lua.LState) int64 {
	s := l.CheckString(1)
	from, to := l.OptInt(2, 1), l.OptInt(3, l.OptInt(2, 1))
	if from < 0 {
		from += len(s) + 1
	}
	if to < 0 {
		to += len(s) + 1
	}
	return 1 + int64(max(0, min(to, len(s))-max(from, 1)))
}

func stringRep(l *lua.LState) int {
	s, n := l.CheckString(1), l.CheckInt(2)
	if n <= 0 || s == "" {
		return PushString(l, "")
	}
	if n > maxString {
		checkLength(l, n)
	}
	checkLength(l, len(s)*n)
	return PushString(l, strings.Repeat(s, n))
}

// start returns the index, from 0, of the start of a search in s, given the argument n of Lua.
func start(l *lua.LState, s string, n int) int {
	i := l.OptInt(n, 1)
	if i < 0 {
		i = len(s) + i + 1
	}
	return min(max(i-1, 0), len(s))
}

func stringFind(l *lua.LState) int {
	s, p := l.CheckString(1), l.CheckString(2)
	from := start(l, s, 3)
	if lua.LVAsBool(l.Get(4)) || !strings.ContainsAny(p, "^$*+?.([%-") {
		payBytes(l, len(s))
		i := strings.Index(s[from:], p)
		if i < 0 {
			l.Push(lua.LNil)
			return 1
		}
		l.Push(lua.LNumber(from + i + 1))
		l.Push(lua.LNumber(from + i + len(p)))
		return 2
	}
	m := newMatcher(l, s, p)
	found, ok := m.search(from)
	if !ok {
		l.Push(lua.LNil)
		return 1
	}
	l.Push(lua.LNumber(found.from + 1))
	l.Push(lua.LNumber(found.to))
	return 2 + m.pushCaptures(found, false)
}

func stringMatch(l *lua.LState) int {
	s, p := l.CheckString(1), l.CheckString(2)
	m := newMatcher(l, s, p)
	found, ok := m.search(start(l, s, 3))
	if !ok {
		l.Push(lua.LNil)
		return 1
	}
	return m.pushCaptures(found, true)
}

// stringGmatch returns an iterator. It searches on demand; an empty match moves on by a byte.
func stringGmatch(l *lua.LState) int {
	s, p := l.CheckString(1), l.CheckString(2)
	Pay(l, closurePrice)
	from := 0
	l.Push(l.NewFunction(func(l *lua.LState) int {
		if from > len(s) {
			return 0
		}
		m := newMatcher(l, s, p)
		m.anchored = false
		found, ok := m.search(from)
		if !ok {
			from = len(s) + 1
			return 0
		}
		if from = found.to; found.from == found.to {
			from++
		}
		return m.pushCaptures(found, true)
	}))
	return 1
}

// stringGsub replaces matches by a string with %0 to %9, by the value of a table for the first capture, or by the
// result of a function of the captures; false and nil keep the match.
func stringGsub(l *lua.LState) int {
	s, p := l.CheckString(1), l.CheckString(2)
	l.CheckTypes(3, lua.LTString, lua.LTNumber, lua.LTTable, lua.LTFunction)
	limit := l.OptInt(4, len(s)+1)
	m := newMatcher(l, s, p)
	var b strings.Builder
	done, n := 0, 0
	for from := 0; from <= len(s) && n < limit; {
		found, ok := m.search(from)
		if !ok {
			break
		}
		before := b.Len()
		b.WriteString(s[done:found.from])
		m.replace(&b, found, l.Get(3))
		payBytes(l, b.Len()-before)
		checkLength(l, b.Len())
		n, done, from = n+1, found.to, found.to
		if found.from == found.to {
			from++
		}
		if m.anchored {
			break
		}
	}
	b.WriteString(s[done:])
	PushString(l, b.String())
	l.Push(lua.LNumber(n))
	return 2
}

// replace writes the replacement of a match.
func (m *matcher) replace(b *strings.Builder, found match, by lua.LValue) {
	var v lua.LValue
	switch by := by.(type) {
	case *lua.LTable:
		v = m.l.GetTable(by, m.capture(found, 0))
	case *lua.LFunction:
		m.l.Push(by)
		n := m.pushCaptures(found, true)
		m.l.Call(n, 1)
		v = m.l.Get(-1)
		m.l.Pop(1)
	default:
		m.expand(b, found, lua.LVAsString(by))
		return
	}
	switch {
	case lua.LVIsFalse(v):
		b.WriteString(m.s[found.from:found.to])
	case !lua.LVCanConvToString(v):
		m.l.RaiseError("invalid replacement value (a %s)", v.Type())
	default:
		b.WriteString(lua.LVAsString(v))
	}
}

// expand writes a replacement in which %1 is the first capture and %0 the whole match.
func (m *matcher) expand(b *strings.Builder, found match, by string) {
	for i := 0; i < len(by); i++ {
		c := by[i]
		if c != '%' || i+1 == len(by) {
			b.WriteByte(c)
			continue
		}
		i++
		switch c = by[i]; {
		case c == '0':
			b.WriteString(m.s[found.from:found.to])
		case c >= '1' && c <= '9':
			b.WriteString(m.capture(found, int(c-'1')).String())
		default:
			b.WriteByte(c)
		}
		checkLength(m.l, b.Len())
	}
}
