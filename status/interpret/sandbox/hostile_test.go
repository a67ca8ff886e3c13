package sandbox

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// compiled compiles a script that defines the function f; it can require the modules sums and words.
func compiled(t testing.TB, body string) (*Script, error) {
	t.Helper()
	return NewLibrary(
		Module{Name: "sums", Functions: map[string]lua.LGFunction{"add": func(l *lua.LState) int {
			Pay(l, 256)
			return PushString(l, strconv.Itoa(l.CheckInt(1)+l.CheckInt(2)))
		}}},
		Module{Name: "words", Source: "local words = {} function words.join(a, b) return a .. ' ' .. b end return words"},
	).Compile(body, "answer")
}

// TestHostileScripts has a row for every way to need more than there is. Each must come to an end, in about a second and
// a few hundred megabytes at most, and say why.
func TestHostileScripts(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"an endless loop", "while true do end", "too much"},
		{"an endless loop that catches errors", "while true do pcall(function() while true do end end) end", "too much"},
		{"a loop to a huge number", "for i = 1, 1e300 do end", "too much"},
		{"a goto", "::again:: goto again", "too much"},
		{"deep recursion", "local function f(n) return 1 + f(n + 1) end f(1)", "stack overflow"},
		{"deep recursion through pcall", "local function f() local ok, e = pcall(f) return e end f() error('deep')", "deep"},
		{"endless tail calls", "local function f() return f() end do return f() end", "too much"},
		{"a string of 2^40", "string.rep('x', 2^40)", "a string may have"},
		{"a repeated long string", "string.rep(string.rep('x', 1000), 2^60)", "a string may have"},
		{"doubling", "local s = 'x' while true do s = s .. s end", "a string may have"},
		{"many at once", "local s = string.rep('x', 500000) s = s .. s .. s .. s", "a string may have"},
		{"many long strings", "local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1000000) .. i end", "too much"},
		{"format with a width", "string.format('%1000000000d', 1)", "invalid option"},
		{"format of many", "local f = string.rep('%99d', 200000) string.format(f, unpack({}))", "too many|number expected|too much"},
		{"gsub that grows", "string.gsub(string.rep('x', 100000), 'x', string.rep('y', 100000))", "a string may have"},
		{"a pattern without end", "string.find(string.rep('a', 3000), string.rep('.-', 20) .. 'b')", "too much"},
		{"a pattern of stars", "string.match(string.rep('a', 100000), '.*.*.*.*b')", "too much"},
		{"a deep pattern", "string.match(string.rep('a', 10000), string.rep('a?', 10000))", "too complex"},
		{"a balance", "for i = 1, 1e9 do string.find(string.rep('(', 100000), '%b()') end", "too much"},
		{"a huge list", "local t = {} for i = 1, 1e9 do t[i] = i end", "too much"},
		{"a list with one far place", "local t = {} t[60000000] = 1", "too much"},
		{"many lists with far places", "local t = {} for i = 1, 1e9 do t[i] = {} t[i][10000] = 1 end", "too much"},
		{"a constructor with a far place", "local t = {[60000000] = 1}", "too much"},
		{"insert at a far place", "local t = {} table.insert(t, 60000000, 1)", "too much"},
		{"a far place of what is called", "local function f() return {} end f()[60000000] = 1", "too much"},
		{"many tables", "local t = {} for i = 1, 1e9 do t[i] = {a = 1} end", "too much"},
		{"many tables that are filled later", "local t = {} for i = 1, 1e9 do local x = {} x.a = 1 t[i] = x end", "too much"},
		{"many tables with keys of both kinds", "local t = {} for i = 1, 1e9 do local x = {} x.a = 1 x[true] = 1 x[1] = 1 t[i] = x end", "too much"},
		{"many keys", "local t = {} for i = 1, 1e9 do t['k' .. i] = i end", "too much"},
		{"many closures", "local t = {} for i = 1, 1e9 do local a, b, c t[i] = function() return a, b, c end end", "too much"},
		{"insert in front", "local t = {} for i = 1, 1e9 do table.insert(t, 1, i) end", "too much"},
		{"length of what was a list", "local t = {} for i = 1, 100000 do t[i] = i end for i = 1, 100000 do t[i] = nil end local n = 0 for i = 1, 1e9 do n = n + #t end", "too much"},
		{"next over what is gone", "local t = {} for i = 1, 100000 do t['k' .. i] = i end for i = 1, 100000 do t['k' .. i] = nil end for i = 1, 1e9 do next(t) end", "too much"},
		{"sort", "local t = {} for i = 1, 50000 do t[i] = 50000 - i end while true do table.sort(t) end", "too much"},
		{"sort that lies", "local t = {} for i = 1, 1000 do t[i] = i end while true do table.sort(t, function() return true end) end", "too much"},
		{"unpack", "unpack({}, 1, 1e9)", "too many results"},
		{"unpack around", "unpack({}, -2^62, 2^62)", "too many results"},
		{"many arguments", "local function f(...) return f(1, ...) end f()", "registry overflow|too much"},
		{"comparing long strings", "local a, b = string.rep('x', 1000000) .. 'a', string.rep('x', 1000000) .. 'b' while a ~= b do end", "too much"},
		{"long keys", "local a, t = string.rep('x', 1000000), {} while true do t[a .. 'b'] = 1 end", "too much"},
		{"long numbers", "local a = string.rep('1', 300) local n = 0 while true do n = n + a end", "is no number"},
		{"numbers that are strings", "local a = string.rep('1', 60) local n = 0 while true do n = n + a - -a end", "too much"},
		{"concat of a list", "local t = {} for i = 1, 10000 do t[i] = string.rep('x', 1000) end table.concat(t)", "a string may have"},
		{"errors that are caught", "while true do pcall(error, 'x') end", "too much"},
		{"methods of strings without their table", "string = nil local x = ('a'):upper() string = 5 x = ('a'):upper()", "number"},
		{"a large error", "error(string.rep('x', 1000000))", "xxx..."},
		{"an error that is a table", "error({})", "no string"},
		{"upper", "local s = string.rep('x', 1000000) while true do s = s:upper():lower():reverse() end", "too much"},
		{"bytes", "local s = string.rep('x', 1000000) s:byte(1, -1)", "registry overflow|too much"},
		{"bytes of a little", "local s = string.rep('x', 10000) while true do s:byte(1, -1) end", "too much"},
		{"tables of arguments", "local t = {} local function f(...) t[#t + 1] = arg end while true do f(1, 2) end", "too much"},
		{"gsub that fails again and again", "local s, y = string.rep('x', 100000), string.rep('y', 100000) while true do pcall(string.gsub, s, 'x', y) end", "too much"},
		{"concat that fails again and again", "local t, y = {}, string.rep('y', 100000) for i = 1, 11 do t[i] = y end while true do pcall(table.concat, t) end", "too much"},
		{"long errors that are caught", "local y = string.rep('y', 1000000) while true do pcall(error, y) end", "too much"},
		{"sorting long strings", "local y = string.rep('y', 1000000) local t = {} for i = 1, 20 do t[i] = y .. i end while true do table.sort(t) end", "too much"},
		{"the guards", "_G['(key)'] = function(t, k) return k end local t = {} t[60000000] = 1", "too much"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := compiled(t, "function answer()\n"+c.body+"\nreturn true end")
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begin := time.Now()
			_, _, err = s.Call(map[string]any{})
			took := time.Since(begin)
			runtime.ReadMemStats(&after)
			require.Error(t, err)
			require.Regexp(t, c.want, err.Error())
			require.Less(t, len(err.Error()), 500)
			t.Logf("%v, %d MB made, %d MB more at the end: %s", took.Round(time.Millisecond),
				(after.TotalAlloc-before.TotalAlloc)>>20, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20, strings.TrimSpace(err.Error()))
			require.Less(t, took, 2*time.Minute, "work is counted, not time: this is for machines that are very busy")
			require.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(1500))
		})
	}
}
