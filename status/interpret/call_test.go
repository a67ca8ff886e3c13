package interpret

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestNothingIsLeftBehind: whatever a script does to what it can reach, the next call finds everything as it was.
func TestNothingIsLeftBehind(t *testing.T) {
	vandal, err := health(t, `
		count = (count or 0) + 1
		function InterpretHealth(obj)
			seen = (seen or 0) + 1
			string.rep, string.upper, table.insert, math.floor, tostring, pairs = nil, nil, nil, nil, nil, nil
			string.__index = function() return "mine" end
			string.find = function() return "mine" end
			require("kube").resourceAdd = function() return "mine" end
			_G.leaked, pcall, print = obj, 1, 2
			return count + seen == 2
		end`)
	require.NoError(t, err)
	victim, err := health(t, `
		function InterpretHealth()
			assert(count == nil and seen == nil and leaked == nil, "something is left")
			assert(type(pcall) == "function" and type(print) == "function" and ("a"):find("a") == 1)
			assert(string.rep("a", 2):upper() == "AA" and require("kube").resourceAdd("1", "1") == "2")
			assert(tostring(math.floor(1.5)) == "1" and pairs ~= nil)
			return true
		end`)
	require.NoError(t, err)
	for range 3 {
		for _, s := range []*script{vandal, victim} {
			healthy, err := s.interpretHealth(&unstructured.Unstructured{Object: map[string]any{"a": "b"}})
			require.NoError(t, err)
			require.True(t, healthy)
		}
	}
}

// TestParallel: a script can be called from many places at once, and says the same in all.
func TestParallel(t *testing.T) {
	s, err := health(t, `
		local kube = require("kube")
		function InterpretHealth(obj)
			local t = {}
			for k, v in pairs(obj) do
				table.insert(t, k .. "=" .. tostring(v):upper():gsub("%w", "%0%0"))
			end
			table.sort(t, function(a, b) return a > b end)
			return {v = table.concat(t, ",") .. kube.resourceAdd("1", "2")}
		end`)
	require.NoError(t, err)
	object := map[string]any{"a": "x", "b": int64(1), "c": true, "d": map[string]any{}}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 20 {
				out, err := s.call(object)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := s.table(out)
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
	s, err := health(t, `function InterpretHealth(o) local n = 0 for k, v in pairs(o) do n = n + #k end return n > 0 end`)
	require.NoError(t, err)
	cost := func() int64 {
		out, err := s.call(map[string]any{"a": "1", "b": "2", "c": []any{"3"}})
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

// TestAggregateOfAThousandClusters is the largest honest script: it must fit with room to spare.
func TestAggregateOfAThousandClusters(t *testing.T) {
	s, err := health(t, thousand)
	require.NoError(t, err)
	out, err := s.call(map[string]any{"status": map[string]any{}}, clusters(1000))
	require.NoError(t, err)
	got, err := s.table(out)
	require.NoError(t, err)
	status := got["status"].(map[string]any)
	require.Equal(t, int64(3000), status["replicas"])
	require.Len(t, status["conditions"], 1000)
	used := maxWork - out.budget.left
	t.Logf("%d units of %d", used, maxWork)
	require.Less(t, used, int64(maxWork/4))
}

const thousand = `
function InterpretHealth(obj, items)
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

func BenchmarkHealth(b *testing.B) {
	s, err := health(b, `
		function InterpretHealth(obj)
			if obj.status == nil or obj.status.conditions == nil then return false end
			for _, c in ipairs(obj.status.conditions) do
				if c.type == "Ready" and c.status == "True" then return true end
			end
			return false
		end`)
	require.NoError(b, err)
	u := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "web", "generation": int64(2)},
		"spec":     map[string]any{"replicas": int64(3), "template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "a"}}}}},
		"status":   clusters(1)[0].(map[string]any)["status"],
	}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.interpretHealth(u); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAggregateThousand(b *testing.B) {
	s, err := health(b, thousand)
	require.NoError(b, err)
	items := clusters(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.call(map[string]any{}, items); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExpression(b *testing.B) {
	e, err := HealthExprs{APIVersion: "a/v1", Kind: "A", Current: "status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"}.examine()
	require.NoError(b, err)
	u := &unstructured.Unstructured{Object: map[string]any{"status": clusters(1)[0].(map[string]any)["status"]}}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := e.health(u); err != nil {
			b.Fatal(err)
		}
	}
}
