package sandbox

import (
	"time"

	lua "github.com/yuin/gopher-lua"
)

// clockFunctions returns os.time and os.date, the only functions of os (Karmada §7.1). They convert given times, in
// UTC; they never return the current time, because the same objects must give the same answer.
func clockFunctions(l *lua.LState) []entry {
	date := l.GetGlobal("os").(*lua.LTable).RawGetString("date")
	return sorted(own(l, map[string]lua.LGFunction{
		"date": paid(date, utcDate),
		"time": utcTime,
	}))
}

// utcDate checks the arguments of os.date and makes it use UTC.
func utcDate(l *lua.LState) int64 {
	format := l.OptString(1, "%c")
	if l.GetTop() < 2 {
		noClock(l)
	}
	l.CheckNumber(2)
	if len(format) > 256 {
		l.RaiseError("a format of a time may have 256 bytes")
	}
	if format == "" || format[0] != '!' {
		l.Replace(1, lua.LString("!"+format))
	}
	return tablePrice + int64(len(format))
}

// utcTime implements os.time for a table with year, month and day, and hour (12), min and sec.
func utcTime(l *lua.LState) int {
	if l.GetTop() == 0 || l.Get(1) == lua.LNil {
		noClock(l)
	}
	table := l.CheckTable(1)
	field := func(name string, absent int) int {
		n, ok := table.RawGetString(name).(lua.LNumber)
		if !ok && absent < 0 {
			l.RaiseError("field %q missing in date table", name)
		}
		if !ok {
			return absent
		}
		return int(n)
	}
	t := time.Date(field("year", -1), time.Month(field("month", -1)), field("day", -1),
		field("hour", 12), field("min", 0), field("sec", 0), 0, time.UTC)
	l.Push(lua.LNumber(t.Unix()))
	return 1
}

func noClock(l *lua.LState) {
	l.RaiseError("the time now is not known here: the same objects must give the same answer")
}
