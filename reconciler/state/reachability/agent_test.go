package reachability

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An agent that is not heard any more is silent, whatever it reported.
func TestSilentAgents(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	tracker := NewTracker()
	require.Equal(t, NotConnected, tracker.Reachability("eu", now).Unreachable)
	tracker.SetAgent("eu", true)
	require.False(t, tracker.Owns("eu"))
	require.Equal(t, AgentSilent, tracker.Reachability("eu", now).Unreachable, "it never reported")

	tracker.RecordProbe("eu", Probe{Known: true, At: now})
	require.Equal(t, AgentSilent, tracker.Reachability("eu", now).Unreachable, "its probe is no sign of life: another process may have read it")

	tracker.ExpectBeat("eu", now)
	require.Empty(t, tracker.Reachability("eu", now.Add(AgentLease)).Unreachable, "it has time to find this process")
	tracker.ExpectBeat("eu", now.Add(AgentLease))
	require.Equal(t, AgentSilent, tracker.Reachability("eu", now.Add(AgentLease+time.Second)).Unreachable, "it is expected once")
	require.True(t, tracker.RecordBeat("eu", 0, now.Add(AgentLease+time.Second)))
	require.False(t, tracker.RecordBeat("eu", 0, now.Add(AgentLease+time.Second)))
	require.False(t, tracker.RecordBeat("us", 0, now), "a cluster in push mode")

	late := now.Add(2 * AgentProbeWriteInterval)
	require.True(t, tracker.RecordBeat("eu", 0, late))
	require.Empty(t, tracker.Reachability("eu", late).Unreachable, "it writes its probes less often than a replica")

	for lasts, want := range map[time.Duration]time.Duration{0: AgentLease, time.Minute: time.Minute, time.Millisecond: shortestLease, time.Hour: longestLease} {
		tracker.RecordBeat("eu", lasts, late)
		require.Equal(t, want, tracker.AgentLease("eu"))
		require.Empty(t, tracker.Reachability("eu", late.Add(want)).Unreachable)
		require.Equal(t, AgentSilent, tracker.Reachability("eu", late.Add(want+time.Second)).Unreachable)
	}

	require.True(t, tracker.Accepts("eu", Agent("eu")))
	require.False(t, tracker.Accepts("eu", Agent("us")), "the report of another agent")
	tracker.SetAgent("eu", false)
	require.False(t, tracker.Accepts("eu", Agent("eu")))
	require.True(t, tracker.Owns("eu"))
}
