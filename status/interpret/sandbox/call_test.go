package sandbox

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingIsLeftBehind: whatever a script does to what it can reach, the next call finds everything as it was.
func TestNothingIsLeftBehind(t *testing.T) {
	vandal, err := compiled(t, `
		count = (count or 0) + 1
		function answer(obj)
			seen = (seen or 0) + 1
			string.rep, string.upper, table.insert, math.floor, tostring, pairs = nil, nil, nil, nil, nil, nil
			string.__index = function() return "mine" end
			string.find = function() return "mine" end
			require("sums").add = function() return "mine" end
			_G.leaked, pcall, print = obj, 1, 2
			return count + seen == 2
		end`)
	require.NoError(t, err)
	victim, err := compiled(t, `
		function answer()
			assert(count == nil and seen == nil and leaked == nil, "something is left")
			assert(type(pcall) == "function" and type(print) == "function" and ("a"):find("a") == 1)
			assert(string.rep("a", 2):upper() == "AA" and require("sums").add(1, 1) == "2")
			assert(tostring(math.floor(1.5)) == "1" and pairs ~= nil)
			return true
		end`)
	require.NoError(t, err)
	for range 3 {
		for _, s := range []*Script{vandal, victim} {
			out, _, err := s.Call(map[string]any{"a": "b"})
			require.NoError(t, err)
			healthy, _ := out.Bool()
			require.True(t, healthy)
		}
	}
}

// TestParallel: a script can be called from many places at once, and says the same in all.
func TestParallel(t *testing.T) {
	s, err := compiled(t, `
		local sums = require("sums")
		function answer(obj)
			local t = {}
			for k, v in pairs(obj) do
				table.insert(t, k .. "=" .. tostring(v):upper():gsub("%w", "%0%0"))
			end
			table.sort(t, function(a, b) return a > b end)
			return {v = table.concat(t, ",") .. sums.add(1, 2)}
		end`)
	require.NoError(t, err)
	object := map[string]any{"a": "x", "b": int64(1), "c": true, "d": map[string]any{}}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 20 {
				out, _, err := s.Call(object)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := out.Object()
				if err != nil || got["v"] != "d=TTAABBLLEE,c=TTRRUUEE,b=11,a=XX3" {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	wait.Wait()
}

// TestTheBudgetIsAlwaysTheSame: what a call costs depends on the script and the objects, and on nothing else.
func TestTheBudgetIsAlwaysTheSame(t *testing.T) {
	s, err := compiled(t, `function answer(o) local n = 0 for k, v in pairs(o) do n = n + #k end return n > 0 end`)
	require.NoError(t, err)
	cost := func() int64 {
		out, _, err := s.Call(map[string]any{"a": "1", "b": "2", "c": []any{"3"}})
		require.NoError(t, err)
		return maxWork - out.budget.left
	}
	first := cost()
	require.Positive(t, first)
	require.Less(t, first, int64(2000))
	for range 10 {
		require.Equal(t, first, cost())
	}
}

// TestPrices has a row for everything that is paid for: what a thousand of it cost at least, and at most, each.
func TestPrices(t *testing.T) {
	for _, c := range []struct {
		name, setup, do string
		least, most     int64
	}{
		{"nothing", "", "", 0, 3},
		{"an addition", "local n = 0", "n = n + 1", 3, 12},
		{"a table", "", "local t = {}", tablePrice, tablePrice + 30},
		{"a table with fields", "", "local t = {a = 1, b = 2, c = 3}", tablePrice + 3*entryPrice, tablePrice + 100},
		{"a function", "", "local f = function() end", closurePrice, closurePrice + 30},
		{"a local function", "", "local function f() end", closurePrice, closurePrice + 30},
		{"a named function", "", "function f() end", closurePrice, closurePrice + 30},
		{"a call", "local function f() end", "f()", 2, 12},
		{"a call with a table of arguments", "local function f(...) end", "f()", closurePrice, closurePrice + 30},
		{"arguments", "local function f(...) return select('#', ...) end", "f(1, 2, 3)", closurePrice + 3, closurePrice + 50},
		{"a string of 16 kB", "local s = ('x'):rep(8000)", "local r = s .. s", 1000, 5100},
		{"a new place", "local t = {}", "t[i] = i", placePrice, 20},
		{"an old place", "local t = {1}", "t[1] = i", placePrice, 20},
		{"a far place", "", "local t = {} t[1000] = 1", tablePrice + 3000, tablePrice + 3100},
		{"a new key", "local t = {}", "t['k' .. i] = i", entryPrice, 40},
		{"an old key", "local t = {k = 1}", "t.k = i", 1, 12},
		{"the length of a list of 1000", "local t = {} for i = 1, 1000 do t[i] = i end", "local n = #t", 1000 / reachUnit, 60},
		{"a pcall", "local function f() end", "pcall(f)", protectedPrice, protectedPrice + 30},
		{"a pattern", "", "('aaaa'):find('(a+)$')", entryPrice + 5, 60},
		{"sorting three", "local t = {3, 1, 2}", "table.sort(t)", 3 * sortPrice, 5 * sortPrice},
		{"a function of a module", "local sums = require('sums')", "sums.add(1, 2)", 256, 300},
		{"an instruction beside a string of 1 MB", "local n, s = 0, ('x'):rep(1000000)", "n = n + 1", 1000, 5000},
	} {
		t.Run(c.name, func(t *testing.T) {
			cost := func(times string) int64 {
				s, err := compiled(t, "function answer() "+c.setup+" for i = 1, "+times+" do "+c.do+" end end")
				require.NoError(t, err)
				out, _, err := s.Call()
				require.NoError(t, err)
				return maxWork - out.budget.left
			}
			each := (cost("1000") - cost("0")) / 1000
			require.GreaterOrEqual(t, each, c.least)
			require.LessOrEqual(t, each, c.most)
		})
	}
}

// TestLongStringsOfObjects make every instruction dearer, as the script may compare them.
func TestLongStringsOfObjects(t *testing.T) {
	s, err := compiled(t, "function answer(a, b) local n = 0 for i = 1, 1000 do if a.s == b.s then n = n + 1 end end end")
	require.NoError(t, err)
	cost := func(text string) int64 {
		out, _, err := s.Call(map[string]any{"s": text}, map[string]any{"s": text})
		require.NoError(t, err)
		return maxWork - out.budget.left
	}
	require.Greater(t, cost(string(make([]byte, 100*stringUnit))), 50*cost("short"))
}

// TestAggregateOfAThousandClusters is the largest honest script: it must fit with room to spare.
func TestAggregateOfAThousandClusters(t *testing.T) {
	s, err := compiled(t, thousand)
	require.NoError(t, err)
	out, _, err := s.Call(map[string]any{"status": map[string]any{}}, clusters(1000))
	require.NoError(t, err)
	got, err := out.Object()
	require.NoError(t, err)
	status := got["status"].(map[string]any)
	require.Equal(t, int64(3000), status["replicas"])
	require.Len(t, status["conditions"], 1000)
	used := maxWork - out.budget.left
	t.Logf("%d units of %d", used, maxWork)
	require.Less(t, used, int64(maxWork/4))
}

const thousand = `
function answer(obj, items)
	local names = {"replicas", "updated", "ready", "available"}
	obj.status = {conditions = {}, message = ""}
	for _, name in ipairs(names) do obj.status[name] = 0 end
	for i = 1, #items do
		local item = items[i]
		for _, name in ipairs(names) do
			obj.status[name] = obj.status[name] + (item.status[name] or 0)
		end
		for _, c in ipairs(item.status.conditions) do
			if c.type == "Ready" and c.status ~= "True" then
				obj.status.message = obj.status.message .. item.clusterName .. ":" .. c.message .. "; "
			end
			if c.type == "Ready" then
				table.insert(obj.status.conditions, {type = item.clusterName, status = c.status})
			end
		end
	end
	return obj
end`

func clusters(n int) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = map[string]any{
			"clusterName": "member" + string(rune('a'+i%26)),
			"status": map[string]any{
				"replicas": int64(3), "updated": int64(3), "ready": int64(2), "available": int64(1),
				"conditions": []any{
					map[string]any{"type": "Ready", "status": "False", "message": "two of three"},
					map[string]any{"type": "Progressing", "status": "True", "message": "still going"},
				},
			},
		}
	}
	return items
}

func BenchmarkCall(b *testing.B) {
	s, err := compiled(b, `
		function answer(obj)
			if obj.status == nil or obj.status.conditions == nil then return false end
			for _, c in ipairs(obj.status.conditions) do
				if c.type == "Ready" and c.status == "True" then return true end
			end
			return false
		end`)
	require.NoError(b, err)
	object := map[string]any{
		"metadata": map[string]any{"name": "web", "generation": int64(2)},
		"spec":     map[string]any{"replicas": int64(3), "template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "a"}}}}},
		"status":   clusters(1)[0].(map[string]any)["status"],
	}
	for name, s := range map[string]*Script{"a new state": s, "a reused state": s.Reuse()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := s.Call(object); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAggregateThousand(b *testing.B) {
	s, err := compiled(b, thousand)
	require.NoError(b, err)
	items := clusters(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := s.Call(map[string]any{}, items); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReuse: a script with reused states gives the same answers, also after a failed call.
func TestReuse(t *testing.T) {
	s, err := compiled(t, `
		local words = require("words")
		function answer(o) if o.fails then error("failed") end return words.join(o.a, string.upper(o.a)) end`)
	require.NoError(t, err)
	s = s.Reuse()
	for i := range 20 {
		out, _, err := s.Call(map[string]any{"a": "x"})
		require.NoError(t, err)
		got, _ := out.Text()
		require.Equal(t, "x X", got)
		if i%5 == 0 {
			_, _, err = s.Call(map[string]any{"fails": true})
			require.ErrorContains(t, err, "failed")
		}
	}
}
