package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be the floor, or small members, which the program is when it starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == asFloor || os.Args[1] == asMembers || os.Args[1] == asFollower) {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestSmall runs everything once, too small for figures that mean something, but for those that never depend on size.
func TestSmall(t *testing.T) {
	o := options{members: 2, objects: 12, pushes: 2, busy: true, statusMembers: 1, profiles: t.TempDir()}
	f, err := run(t.Context(), o, t.Output())
	require.NoError(t, err)

	require.Equal(t, requests{"APPLY deployments": o.members * o.pushes}, f.single.floor.requests.withoutProbes())
	require.Equal(t, o.members*o.pushes, f.single.ours.requests.changing(), "one write per changed object and member: %s", f.single.ours.requests)
	require.Equal(t, o.members*10, f.override.ours.requests.changing(), "one write per changed object and member: %s", f.override.ours.requests)
	require.Empty(t, f.nothing, "requests with nothing to do")
	require.Zero(t, f.restart.changing(), "writes of a restart: %s", f.restart)
	require.Positive(t, f.peak)
	for _, step := range []string{"cold", "single", "override", "busy"} {
		require.FileExists(t, filepath.Join(o.profiles, step+"-1.cpu"))
	}
	require.Len(t, f.quiet, o.pushes)
	require.Positive(t, f.status.floor.wall)
	require.Positive(t, f.status.ours.wall)

	var printed strings.Builder
	require.NoError(t, f.print(&printed))
	require.Contains(t, printed.String(), "12 objects on 2 members")
	require.Regexp(t, `one object changed during an override.* \d+ ms `, printed.String())
	require.Regexp(t, `1 members with controllers, p50 of 2 +\d+ ms +\d+ ms +\d+\.\d\d x`, printed.String())
}

func TestRatiosAreOfOursToTheFloor(t *testing.T) {
	f := figures{
		options: options{members: 10, objects: 600, pushes: 20},
		cold: compared{
			floor: cost{wall: 12 * time.Second, cpu: 2220 * time.Millisecond, requests: requests{"APPLY deployments": 6000}},
			ours:  cost{wall: 15 * time.Second, cpu: 6 * time.Second, requests: requests{"APPLY deployments": 6600, "LIST nodes": 10}},
		},
		hub: requests{"POST releases": 1, "GET secrets": 12},
	}
	var printed strings.Builder
	require.NoError(t, f.print(&printed))
	require.Regexp(t, `cold: .*12\.0 s +15\.0 s +1\.25 x +1\.15 x +MISSED`, printed.String())
	require.Regexp(t, `CPU per object placed +0\.37 ms +1\.00 ms +2\.70 x +0\.6 ms +MISSED`, printed.String())
	require.Regexp(t, `writes per object and member +1\.00 +1\.10 *\n`, printed.String())
	require.Regexp(t, `writes at the hub per object +0 +0\.00 +1\.2 +ok`, printed.String())
	require.Regexp(t, `one object changed, p50 of 20 +0 ms +0 ms +- *\n`, printed.String(), "without a floor there is no ratio to hold to a bar")
	require.Regexp(t, `CPU per push +0\.00 ms +0\.00 ms +- +40 ms +ok`, printed.String())
	require.Contains(t, printed.String(), "2 of 8 bars missed")
}

func TestCountersOfAnAPIServer(t *testing.T) {
	counted, err := parseCounters([]byte(`# HELP apiserver_request_total requests
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",group="apps",resource="deployments",verb="APPLY",version="v1"} 500
apiserver_request_total{code="201",group="apps",resource="deployments",verb="APPLY",version="v1"} 20
apiserver_request_total{code="429",group="apps",resource="deployments",verb="APPLY",version="v1"} 7
apiserver_request_total{code="200",group="",resource="nodes",verb="LIST",version="v1"} 3
apiserver_request_total{code="200",group="coordination.k8s.io",resource="leases",verb="PUT",version="v1"} 77
apiserver_request_total{code="0",group="apps",resource="deployments",verb="WATCH",version="v1"} 4
apiserver_request_total{code="200",group="",resource="",verb="GET",version=""} 9
`))
	require.NoError(t, err)
	require.Equal(t, requests{"APPLY deployments": 520, "APPLY deployments (refused)": 7, "LIST nodes": 3}, counted)

	later := requests{"APPLY deployments": 521, "LIST nodes": 3, "GET pods": 1}.since(counted)
	require.Equal(t, requests{"APPLY deployments": 1, "GET pods": 1}, later)
	require.Equal(t, 1, later.changing())
	require.Equal(t, 1, later.reading())
	require.Equal(t, "1 APPLY deployments, 1 GET pods", later.String())
	require.Equal(t, requests{"GET pods": 1}, requests{"GET pods": 1, "LIST nodes": 9}.withoutProbes())
}

func TestCommandLine(t *testing.T) {
	o, err := parse([]string{"--members", "3", "--objects", "60"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, options{members: 3, objects: 60, pushes: 20, busy: true, statusMembers: 3, agentProcesses: 10, scale: scaling{objects: 100, rest: time.Minute},
		growing: growing{objects: 60000, members: 1000, pushes: 20, rest: time.Minute}, searching: searching{pods: 10000, changes: 200}, planning: planning{objects: 50000, rounds: 3}, following: following{objects: 5000, changes: 1200, rate: 20}}, o)
	_, err = parse([]string{"--grow", "--objects-max", "6"}, io.Discard)
	require.ErrorContains(t, err, "12 objects")
	_, err = parse([]string{"--objects", "5"}, io.Discard)
	require.ErrorContains(t, err, "at least")
}

func TestWorkloadIsOfTheUsualSize(t *testing.T) {
	w := workload{namespace: "shop", objects: 600}
	require.Equal(t, 500, w.deployments())
	for i, kind := range map[int]string{0: "Deployment", 499: "Deployment", 500: "ConfigMap", 599: "ConfigMap"} {
		u := w.object(i, "1.2.3")
		require.Equal(t, kind, u.GetKind())
		require.Equal(t, "shop", u.GetNamespace())
		text, err := u.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, kind == "Deployment", strings.Contains(string(text), "shop/web:1.2.3"))
		require.InDelta(t, 1800, len(text), 400)
	}
}
