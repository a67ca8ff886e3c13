package status

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
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
