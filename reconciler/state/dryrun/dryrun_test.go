package dryrun

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/golden"
)

// TestRetries: a rejected plan is tried again at growing intervals, and at once when a person requests a reconciliation.
func TestRetries(t *testing.T) {
	var m Memory
	now := time.Unix(0, 0)
	require.True(t, m.Due("", now), "it was not tried yet")
	require.Zero(t, m.Retry(now))
	rejected := map[string]map[manifest.ID]bool{"eu-7": {{Kind: "ConfigMap", Name: "web"}: true}}
	var pauses []time.Duration
	for range 8 {
		m.Reject("sha256:01", rejected, "yesterday", now)
		pauses = append(pauses, m.Retry(now))
		require.False(t, m.Due("yesterday", now))
		require.True(t, m.Due("today", now), "a person requests a reconciliation")
		now = now.Add(m.Retry(now))
		require.True(t, m.Due("yesterday", now))
	}
	require.Equal(t, []time.Duration{2e9, 4e9, 8e9, 16e9, 32e9, 60e9, 60e9, 60e9}, pauses)
	m.Reject("sha256:02", rejected, "", now)
	require.Equal(t, 2*time.Second, m.Retry(now), "another plan")
	golden.Quote(t, "../../../docs/concepts/delivery.md", "accord retries after 2 s, then after twice as long each time, up to a minute.")
}
