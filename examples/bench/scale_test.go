package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSmallScale runs the whole measurement with few members: too small for figures that mean something, but for those
// that never depend on size.
func TestSmallScale(t *testing.T) {
	s := scaling{members: 4, objects: 6, rest: 2 * time.Second, profiles: t.TempDir()}
	f, err := runScale(t.Context(), s, t.Output())
	require.NoError(t, err)
	require.Len(t, f.points, 2)
	for _, p := range f.points {
		require.Equal(t, 5*p.members, p.cold.members["APPLY deployments"], "one write per object and member")
		require.LessOrEqual(t, p.cold.members.changing(), p.pairs()+4*p.members, "beside them namespaces and inventory: %s", p.cold.members)
		require.Zero(t, p.quiet.members.changing(), "writes at rest: %s", p.quiet.members)
		require.Equal(t, p.members, p.single.members["APPLY deployments"])
		require.Positive(t, p.applied)
		require.GreaterOrEqual(t, p.ready, p.applied, "nothing is Ready before it is there")
		require.Equal(t, p.members, p.delivered.connections, "one connection to each")
		require.Equal(t, 3*p.members, p.delivered.watches, "namespaces, deployments, config maps")
		require.Positive(t, p.alone.heap)
		require.Greater(t, p.delivered.goroutines, p.alone.goroutines)
	}
	kept, err := filepath.Glob(filepath.Join(s.profiles, "0004-*"))
	require.NoError(t, err)
	require.Len(t, kept, 6)
	for _, path := range kept {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Positive(t, info.Size(), path)
	}
	var printed strings.Builder
	require.NoError(t, f.print(&printed))
	t.Log("\n" + printed.String())
}

func TestGrowthIsMeasuredAgainstTheMembers(t *testing.T) {
	f := scaleFigures{scaling: scaling{objects: 100, rest: time.Minute}}
	for _, members := range []int{100, 1000} {
		p := scalePoint{members: members, objects: 100, applied: time.Duration(members) * 50 * time.Millisecond}
		p.floor.wall = p.applied / 2
		p.alone.goroutines, p.delivered.goroutines = 40, 40+members*20
		p.delivered.heap = int64(members) * int64(members) * 1024
		p.cold.members = requests{"APPLY deployments": members * 110}
		p.quiet.members, p.quiet.others = requests{"LIST nodes": members}, 7*members
		f.points = append(f.points, p)
	}
	var printed strings.Builder
	require.NoError(t, f.print(&printed))
	require.Regexp(t, `all applied +5\.00 s +50\.0 s +1\.00 x`, printed.String())
	require.Regexp(t, `times the floor +2\.00 x +2\.00 x +1\.00 x`, printed.String())
	require.Regexp(t, `more per object placed +1\.00 KiB +10\.0 KiB +10\.00 x`, printed.String(), "it grew faster than the members")
	require.Regexp(t, `with objects +20\.0 +20\.0 +1\.00 x`, printed.String())
	require.Regexp(t, `writes +1\.10 +1\.10 +1\.00 x`, printed.String())
	require.Regexp(t, `requests at the member +8\.00 +8\.00 +1\.00 x`, printed.String())
}

func TestFiguresOfTheRuntime(t *testing.T) {
	const profile = "heap profile: 1: 2 [3: 4] @ heap/1048576\n\n# runtime.MemStats\n# Alloc = 5\n# HeapAlloc = 123456\n# Stack = 720896 / 720896\n"
	require.EqualValues(t, 123456, runtimeFigure([]byte(profile), "HeapAlloc"))
	require.EqualValues(t, 720896, runtimeFigure([]byte(profile), "Stack"))
	require.Zero(t, runtimeFigure([]byte(profile), "HeapSys"))
}

func TestConnectionsOfAProcess(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1 0 100 0 0 10 0
   1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 02:00000000 00000000     0        0 102 2 0 20 4 30 10 -1
   2: 0100007F:C002 0100007F:1F90 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0
`
	require.Equal(t, map[string]uint64{"102": 8080}, established([]byte(table)), "one listens, one is closing")
}

func TestSizesOfAScale(t *testing.T) {
	require.Equal(t, []int{100, 300, 1000}, scaling{members: 1000}.sizes())
	require.Equal(t, []int{1, 4}, scaling{members: 4}.sizes())
	require.Equal(t, []int{1}, scaling{members: 1}.sizes())
}
