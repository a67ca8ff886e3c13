package status

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/status/kind"
)

func TestReflectedIsWhatWasPicked(t *testing.T) {
	for name, picked := range map[string]map[string]any{
		"nothing": nil,
		"empty":   {},
		"numbers": {"replicas": int64(3), "share": 0.5, "large": int64(1) << 60},
		"conditions": {"conditions": []any{
			map[string]any{"type": "Available", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"},
			map[string]any{"type": "Progressing", "status": "True", "lastTransitionTime": "2026-01-02T03:04:04Z"},
		}},
		"times by many names":     {"z": "2026-01-01T00:00:01Z", "a": "2026-01-01T00:00:02Z", "m": []any{"2026-01-01T00:00:03Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z"}},
		"times of other forms":    {"a": "2026-01-02T03:04:05.123456Z", "b": "2026-01-02T03:04:05+01:00", "c": "2026-02-30T03:04:05Z", "d": "2026-01-02T23:59:60Z", "e": "2026-01-02t03:04:05Z"},
		"texts that JSON escapes": {"a": "<b>&\"\\\n\t", "b": true, "c": nil, "d": []any{}, "e": map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Reflect(picked)
			require.Equal(t, picked, r.Map())
			require.Equal(t, r, Reflect(picked))
			require.Equal(t, picked == nil, r == Reflected{})
		})
	}
	require.Zero(t, Reflect(map[string]any{"a": func() {}}), "what JSON has not")
}

// TestShapeIsJSON compares a shape with the JSON of the standard library.
func TestShapeIsJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(10); {
		case n < 3 && depth > 0:
			all := map[string]any{}
			for range r.IntN(5) {
				all[[]string{"a", "b<", "\"c", "d\n", "\xff", "é"}[r.IntN(6)]] = value(depth - 1)
			}
			return all
		case n < 5 && depth > 0:
			list := make([]any, r.IntN(4))
			for i := range list {
				list[i] = value(depth - 1)
			}
			return list
		default:
			return []any{nil, true, false, int64(r.Int()), -r.NormFloat64(), "", "text", "<&>\u2028\\\"\n\t\x01", "\xff", "2026-01-02T03:04:05Z"}[r.IntN(10)]
		}
	}
	for range 3000 {
		picked := map[string]any{"v": value(4)}
		text, err := json.Marshal(picked)
		require.NoError(t, err)
		var want map[string]any
		require.NoError(t, utiljson.Unmarshal(text, &want))
		escape(want)
		require.Equal(t, want, Reflect(picked).Map())
		require.Equal(t, Reflect(picked), Reflect(picked))
	}
}

// escape escapes the texts in a value, in place.
func escape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = escape(v[name])
		}
	case []any:
		for i := range v {
			v[i] = escape(v[i])
		}
	case string:
		return phrase.Escape(v, "\n\t")
	}
	return v
}

func BenchmarkReflect(b *testing.B) {
	picked := map[string]any{
		"replicas": int64(2), "readyReplicas": int64(2), "updatedReplicas": int64(2), "availableReplicas": int64(2), "observedGeneration": int64(1),
		"conditions": []any{
			map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.", "lastTransitionTime": "2026-01-02T03:04:05Z", "lastUpdateTime": "2026-01-02T03:04:05Z"},
			map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": "ReplicaSet has successfully progressed.", "lastTransitionTime": "2026-01-02T03:04:04Z", "lastUpdateTime": "2026-01-02T03:04:05Z"},
		},
	}
	b.ReportAllocs()
	for b.Loop() {
		Reflect(picked)
	}
}

// TestHostileStatus escapes control characters in the status of a member's object, which the hub stores and commands show.
func TestHostileStatus(t *testing.T) {
	require.Equal(t,
		map[string]any{"a": `\u0000`, "b": `\u00002026-01-02T03:04:05Z`, "c": `\u00000`, "d": []any{`\u001b[2J`}, "e": `\u202e`},
		Reflect(map[string]any{"a": mark, "b": mark + "2026-01-02T03:04:05Z", "c": mark + "0", "d": []any{"\x1b[2J"}, "e": "\u202e"}).Map())
}

// What differs in times only is in memory once.
func TestReflectedShareTheirShape(t *testing.T) {
	at := func(time string) Reflected {
		return Reflect(map[string]any{"replicas": int64(3), "lastTransitionTime": time})
	}
	a, b := at("2026-01-02T03:04:05Z"), at("2026-01-02T03:04:06Z")
	require.NotEqual(t, a, b)
	require.Equal(t, a.shape, b.shape)
	changed := a.Map()
	changed["replicas"] = int64(4)
	require.EqualValues(t, 3, a.Map()["replicas"], "the map is the caller's")
}

func TestReportsKeepWhatIsPut(t *testing.T) {
	id := func(n int) manifest.ID {
		return manifest.ID{Kind: "Service", Namespace: "shop", Name: fmt.Sprint("s", n)}
	}
	var all Reports
	_, known := all.Get(id(1))
	require.False(t, known)
	all.Delete(id(1))
	all.Clear()
	require.Empty(t, slices.Collect(all.IDs()))

	want := map[manifest.ID]Report{
		id(1): {},
		id(2): {Digest: "d", Generation: 3, ObservedGeneration: 2, Observes: true, Health: kind.Failed, Message: "broken", Status: Reflect(map[string]any{"since": "2026-01-02T03:04:05Z"})},
		id(3): {Digest: "d", Generation: 3, ObservedGeneration: 2, Observes: true, Health: kind.Failed, Message: "broken", Status: Reflect(map[string]any{})},
	}
	for id, r := range want {
		all.Put(id, Report{Digest: "before"})
		all.Put(id, r)
	}
	got := map[manifest.ID]Report{}
	for id := range all.IDs() {
		got[id], known = all.Get(id)
		require.True(t, known)
	}
	require.Equal(t, want, got)

	for id := range all.IDs() {
		all.Delete(id)
	}
	require.Empty(t, slices.Collect(all.IDs()))
	for id, r := range maps.All(want) {
		all.Put(id, r)
	}
	all.Clear()
	require.Empty(t, slices.Collect(all.IDs()))
}
