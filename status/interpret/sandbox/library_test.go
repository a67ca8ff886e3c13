package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLibrary has a row for what scripts can call, and for the ways to call it wrongly: what is tostring of it, or the
// error.
func TestLibrary(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		// base
		{"type(print(1))", "bad argument #1 to type"},
		{"tostring({})", "table"},
		{"tostring(print)", "function"},
		{"tostring(nil)", "nil"},
		{"tostring(12)", "12"},
		{"tostring(1.5)", "1.5"},
		{"tostring(-3)", "-3"},
		{"tonumber('0x10')", "16"},
		{"tonumber('1.5') + 1", "2.5"},
		{"tonumber('x')", "nil"},
		{"tonumber()", "bad argument #1 to tonumber"},
		{"select('#', unpack({1, 2, 3}))", "3"},
		{"select(2, unpack({1, 2, 3}))", "2"},
		{"select('#', unpack({1, 2, 3}, 2, 1))", "0"},
		{"unpack({1, 2, 3}, 3)", "3"},
		{"pcall(error, 'x')", "false"},
		{"select(2, pcall(error, 'x'))", "script:1: x"},
		{"select(2, pcall(error, 'x', 0))", "x"},
		{"xpcall(function() error('a', 0) end, function(e) return e .. '!' end)", "false"},
		{"assert(1 == 1)", "true"},
		{"assert(false, 'why')", "why"},
		{"next({})", "nil"},
		{"next({a = 1})", "a"},
		{"#'abc'", "3"},
		{"#{1, 2}", "2"},
		{"#nil", "attempt to get length of a nil value"},
		{"1 .. 2", "12"},
		{"'a' .. {}", "attempt to concatenate a table value"},
		{"'3' + 4", "7"},
		{"-'3'", "-3"},
		{"('a'):upper() .. ('B'):lower()", "Ab"},
		{"_VERSION", "Lua 5.1"},
		{"require('sums') == require('sums')", "true"},
		{"require('io')", `module "io" not found`},
		// what is not there
		{"io", "nil"}, {"debug", "nil"}, {"coroutine", "nil"}, {"channel", "nil"},
		{"os.execute", "nil"}, {"os.getenv", "nil"}, {"os.exit", "nil"}, {"os.remove", "nil"}, {"os.clock", "nil"},
		{"collectgarbage", "nil"}, {"dofile", "nil"}, {"load", "nil"}, {"loadfile", "nil"}, {"loadstring", "nil"},
		{"getfenv", "nil"}, {"setfenv", "nil"}, {"getmetatable", "nil"}, {"setmetatable", "nil"}, {"rawequal", "nil"},
		{"rawget", "nil"}, {"rawset", "nil"}, {"module", "nil"}, {"newproxy", "nil"}, {"_printregs", "nil"},
		{"string.dump", "nil"},
		// math and os
		{"math.floor(1.7) + math.max(1, 2)", "3"},
		{"math.random()", "there is no chance here"},
		{"math.randomseed(1)", "there is no chance here"},
		{"os.time()", "the time now is not known here"},
		{"os.time({year = 2024, month = 2, day = 29})", "1709208000"},
		{"os.time({year = 1970, month = 1, day = 1, hour = 0, min = 1, sec = 2})", "62"},
		{"os.time({year = 1970})", `field "month" missing`},
		{"os.date('%Y-%m-%d %H', 0)", "1970-01-01 00"},
		{"os.date('!*t', 86400).day", "2"},
		{"os.date()", "the time now is not known here"},
		{"os.date(string.rep('%c', 200), 0)", "may have 256 bytes"},
		// table
		{"table.concat({1, 'a', 2.5}, '-')", "1-a-2.5"},
		{"table.concat({1, 2, 3}, '', 2, 9)", "23"},
		{"table.concat({1, {}, 3})", "invalid value (table) at index 2"},
		{"table.concat({}, 'x')", ""},
		{"(function() local t = {3, 1, 2} table.sort(t) return table.concat(t) end)()", "123"},
		{"(function() local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return table.concat(t) end)()", "321"},
		{"(function() local t = {} table.insert(t, 'b') table.insert(t, 1, 'a') table.insert(t, 'c') table.remove(t, 2) return table.concat(t) end)()", "ac"},
		{"table.getn({1, 2})", "2"},
		{"table.maxn({1, 2, nil, 4})", "4"},
		// string
		{"string.rep('ab', 3)", "ababab"},
		{"string.rep('ab', -1)", ""},
		{"('abc'):byte(2)", "98"},
		{"select('#', ('abc'):byte(1, -1))", "3"},
		{"select('#', ('abc'):byte(-2, -1)) .. select('#', ('abc'):byte(5, 9)) .. select('#', ('abc'):byte(2, 1))", "200"},
		{"(function(...) return arg.n end)(1, 2, 3)", "3"},
		{"string.char(72, 105)", "Hi"},
		{"('abc'):sub(-2)", "bc"},
		{"('abc'):reverse()", "cba"},
		{"('abc'):len()", "3"},
		{"string.format('%d %5.2f|%-4s|%s %q %x %c%%', 3, 2.5, 'a', nil, 'q\"\\n', 255, 65)", "3  2.50|a   |nil \"q\\\"\\\n\" ff A%"},
		{"string.format('%s %s', true, {})", "true table"},
		{"string.format('%i %u %g %e', 1, 2, 0.5, 100)", "1 2 0.5 1.000000e+02"},
		{"string.format('%q', 'a\\r\\0b')", "\"a\\r\\000b\""},
		{"string.format('%d')", "bad argument #2 to format"},
		{"string.format('%s')", "bad argument #2 to format"},
		{"string.format('%y', 1)", "invalid option to 'format': %y"},
		{"string.format('%')", "invalid option to 'format': %"},
		{"string.format('plain')", "plain"},
		// patterns
		{"('hello world'):find('o w')", "5"},
		{"select(2, ('hello world'):find('o w'))", "7"},
		{"('a.b'):find('.', 1, true)", "2"},
		{"('a.b'):find('%.')", "2"},
		{"('abc'):find('x')", "nil"},
		{"('abc'):find('x*')", "1"},
		{"('abc'):find('')", "1"},
		{"('abc'):find('c', -1)", "3"},
		{"('abc'):find('a', 2)", "nil"},
		{"('abc'):find('b', 10)", "nil"},
		{"select(3, ('key=val'):find('(%w+)=(%w+)'))", "key"},
		{"('key=val'):match('=(.*)$')", "val"},
		{"('key=val'):match('^val')", "nil"},
		{"('2024-01-02'):match('(%d+)-(%d+)')", "2024"},
		{"('abc'):match('()b()')", "2"},
		{"('f(a(b)c)d'):match('%b()')", "(a(b)c)"},
		{"('((('):match('%b()')", "nil"},
		{"('THE (quick) fox'):find('%f[%a]%a+%f[%A]')", "1"},
		{"('[[x]]'):match('[]]+')", "]]"},
		{"('a-b_c'):match('[%w_-]+')", "a-b_c"},
		{"('a-b'):match('[^a]+')", "-b"},
		{"('aaa'):match('a-$')", "aaa"},
		{"('aaab'):match('a-b')", "aaab"},
		{"('aaa'):match('^a?a?a?a?$')", "aaa"},
		{"('abab'):match('(ab)%1')", "ab"},
		{"('abac'):match('(ab)%1')", "nil"},
		{"('a$b'):match('a$b')", "a$b"},
		{"(' \\t x'):match('%s+(%S)')", "x"},
		{"('Az09!'):gsub('[%u%l%d%p]', '.')", "....."},
		{"('\\1a'):match('%C')", "a"},
		{"('fF-'):match('%x+')", "fF"},
		{"('abc'):gsub('%w', '%0%0')", "aabbcc"},
		{"('abc def'):gsub('(%w+) (%w+)', '%2 %1')", "def abc"},
		{"('abc'):gsub('', '-')", "-a-b-c-"},
		{"('abc'):gsub('b', '%%')", "a%c"},
		{"('aaa'):gsub('a', 'b', 2)", "bba"},
		{"select(2, ('aaa'):gsub('a', 'b', 2))", "2"},
		{"('aaa'):gsub('^a', 'b')", "baa"},
		{"('$x $y'):gsub('%$(%w)', {x = 1})", "1 $y"},
		{"('abc'):gsub('%w', function(c) if c == 'b' then return 'B' end end)", "aBc"},
		{"('abc'):gsub('b', function() return {} end)", "invalid replacement value (a table)"},
		{"('abc'):gsub('b', true)", "bad argument #3 to gsub"},
		{"('abc'):gsub('b', 5)", "a5c"},
		{"(function() local s = '' for w in ('one two three'):gmatch('%a+') do s = s .. w:sub(1, 1) end return s end)()", "ott"},
		{"(function() local s = '' for k, v in ('a=1,b=2'):gmatch('(%w)=(%w)') do s = s .. v .. k end return s end)()", "1a2b"},
		{"(function() local n = 0 for _ in ('abc'):gmatch('x*') do n = n + 1 end return n end)()", "4"},
		{"('a'):match('%')", "malformed pattern (ends with '%')"},
		{"('a'):match('[a')", "malformed pattern (missing ']')"},
		{"('a'):match('[%')", "malformed pattern (missing ']')"},
		{"('a'):match('(a')", "unfinished capture"},
		{"('a'):match('a)')", "invalid pattern capture"},
		{"('a'):match('%1')", "invalid capture index"},
		{"('a'):gsub('a', '%2')", "invalid capture index"},
		{"('a'):match('%b')", "unbalanced pattern"},
		{"('a'):match('%fa')", "missing '[' after '%f'"},
		{"('a'):match(('()'):rep(33))", "too many captures"},
		// modules
		{"require('sums').add(1, 2)", "3"},
		{"require('sums').add({})", "bad argument #1"},
		{"require('words').join('a', 'b')", "a b"},
		{"require('words') == require('words')", "true"},
		// what instrumenting must not change
		{"(function(...) return select('#', ...) end)(1, nil, nil)", "3"},
		{"(function(...) local a, b = ... return b end)(1, 2)", "2"},
		{"(function(...) return (...) end)(1, 2)", "1"},
		{"(function() local t = {(function() return 1, 2 end)()} return #t end)()", "2"},
		{"(function() local t = {((function() return 1, 2 end)())} return #t end)()", "1"},
		{"'x' .. (function() return 'a', 'b' end)()", "xa"},
		{"(function() local t = {1, 2} t[1], t[2] = t[2], t[1] return t[1] .. t[2] end)()", "21"},
		{"(function() local o = {a = {b = {}}} o.a.b.c = 5 o['a']['d'] = o.a.b.c + 1 return o.a.d end)()", "6"},
		{"(function() local o = {n = 1} function o:inc(k) self.n = self.n + k return self end return o:inc(2):inc(3).n end)()", "6"},
		{"(function() local function fact(n) if n < 2 then return 1 end return n * fact(n - 1) end return fact(10) end)()", "3628800"},
		{"(function() local s = 0 for i = 10, 1, -3 do s = s + i end repeat s = s - 1 until s < 20 while s > 15 do s = s - 1 if s == 16 then break end end return s end)()", "16"},
		{"(function() local t = {} for i = 1, 3 do t[#t + 1] = function() return i end end return t[1]() .. t[2]() .. t[3]() end)()", "123"},
		{"(function() local t = {[1] = 'a', [2 - 0] = 'b', c = 'd'} return t[1] .. t[2] .. t.c end)()", "abd"},
		{"(function() do local x = 1 end if not false and (nil or true) then return -2 ^ 2 % 3 end end)()", "2"},
		{"(function() local i = 0 ::top:: i = i + 1 if i < 5 then goto top end return i end)()", "5"},
		{"(function() local k = {} local t = {[k] = 1, [true] = 2, [1.5] = 3} return t[k] + t[true] + t[1.5] end)()", "6"},
		{"(function() local t = {} t[nil] = 1 end)()", "a table has no key that is nil"},
		{"(function() local s = 'a' .. 'b' .. 'c' return s == 'abc' end)()", "true"},
	} {
		t.Run(c.expression, func(t *testing.T) {
			s, err := compiled(t, "function answer() local v = "+c.expression+" return {v = tostring(v)} end")
			require.NoError(t, err)
			out, _, err := s.Call()
			if err != nil {
				require.ErrorContains(t, err, c.want)
				return
			}
			got, err := out.Object()
			require.NoError(t, err)
			require.Equal(t, c.want, got["v"])
		})
	}
}

// TestLongConcatenations are in as many calls as they need.
func TestLongConcatenations(t *testing.T) {
	body, want := "'0'", "0"
	for range 300 {
		body += " .. 'x'"
		want += "x"
	}
	s, err := compiled(t, "function answer() return {v = "+body+"} end")
	require.NoError(t, err)
	out, _, err := s.Call()
	require.NoError(t, err)
	got, err := out.Object()
	require.NoError(t, err)
	require.Equal(t, want, got["v"])
}
