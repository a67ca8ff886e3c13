package reachability

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An agent whose Lease is not renewed any more is silent, whatever its clock says.
func TestSilentAgents(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	behind := now.Add(-time.Hour) // the clock of the agent
	tracker := NewTracker()
	require.Equal(t, NotConnected, tracker.Reachability("eu", now).Unreachable)
	tracker.SetAgent("eu", true)
	require.False(t, tracker.Owns("eu"))
	require.Equal(t, AgentSilent, tracker.Reachability("eu", now).Unreachable, "it never reported")

	tracker.RecordProbe("eu", Probe{Known: true, At: now})
	require.Empty(t, tracker.Reachability("eu", now.Add(StaleProbe)).Unreachable, "without a Lease its probes count")
	require.Equal(t, AgentSilent, tracker.Reachability("eu", now.Add(StaleProbe+time.Second)).Unreachable)

	tracker.RecordBeat("eu", behind, 0, now)
	require.Empty(t, tracker.Reachability("eu", now.Add(AgentLease)).Unreachable)
	tracker.RecordBeat("eu", behind, 0, now.Add(AgentLease))
	require.Equal(t, AgentSilent, tracker.Reachability("eu", now.Add(AgentLease+time.Second)).Unreachable, "the same renewal")
	tracker.RecordBeat("eu", behind.Add(time.Second), 0, now.Add(AgentLease))
	require.Empty(t, tracker.Reachability("eu", now.Add(AgentLease+time.Second)).Unreachable)

	late := now.Add(2 * AgentProbeWriteInterval)
	tracker.RecordBeat("eu", behind.Add(2*time.Second), 0, late)
	require.Empty(t, tracker.Reachability("eu", late).Unreachable, "an agent with a Lease writes its probes less often")

	for lasts, want := range map[time.Duration]time.Duration{0: AgentLease, time.Minute: time.Minute, time.Millisecond: shortestLease, time.Hour: longestLease} {
		renewed := behind.Add(time.Minute + lasts)
		tracker.RecordBeat("eu", renewed, lasts, late)
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
