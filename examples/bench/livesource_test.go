package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLiveSource follows a small production cluster, with figures that do not depend on size.
func TestLiveSource(t *testing.T) {
	f, err := runLiveSource(t.Context(), following{objects: 24, changes: 12, rate: 20}, t.Output())
	require.NoError(t, err)
	require.Len(t, f.floor.took, 12)
	require.Len(t, f.ours.took, 12)
	require.GreaterOrEqual(t, f.standby.changing(), 12, "each change is applied: %s", f.standby)
	require.Equal(t, 12, f.production.changing(), "accord writes nothing there: %s", f.production)
	require.Zero(t, f.restart.changing(), "writes of a restart: %s", f.restart)
	require.Positive(t, f.relisted["LIST deployments"], "a restart lists the objects again: %s", f.relisted)
}

func TestFiguresOfALiveSourceStandBesideTheirBars(t *testing.T) {
	f := &liveFigures{
		following: following{objects: 5000, changes: 100, rate: 20},
		floor:     followRound{took: []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond}, cpu: 100 * time.Millisecond},
		ours:      followRound{took: []time.Duration{300 * time.Millisecond, 400 * time.Millisecond, 2100 * time.Millisecond}, cpu: time.Second},
		standby:   requests{"APPLY deployments": 110}, production: requests{"PATCH deployments": 101}, hub: requests{"APPLY releases": 50},
	}
	var printed strings.Builder
	require.NoError(t, f.print(&printed))
	require.Regexp(t, `p50 +20 ms +400 ms +20\.00 x +400 ms +ok`, printed.String())
	require.Regexp(t, `p99 +30 ms +2100 ms +70\.00 x +2000 ms +MISSED`, printed.String())
	require.Regexp(t, `CPU per change +1\.00 ms +10\.00 ms +10\.00 x`, printed.String())
	require.Regexp(t, `writes at the standby per change +1\.00 +1\.10`, printed.String())
	require.Regexp(t, `writes at production +0 +1 +0 +MISSED`, printed.String())
	require.Regexp(t, `writes of a restart at the standby +0 +0 +0 +ok`, printed.String())
}
