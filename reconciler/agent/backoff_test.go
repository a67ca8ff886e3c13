package agent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Agents that lose the hub at the same moment do not return at the same moment, and each pauses longer after each attempt.
func TestPausesGrowAndDiffer(t *testing.T) {
	const agents, attempts = 200, 8
	for attempt, most := range []time.Duration{1, 2, 4, 8, 16, 20, 20, 20}[:attempts] {
		most *= time.Second
		var early, late int
		for range agents {
			b := newBackoff(20 * time.Second)
			for range attempt {
				b.next()
			}
			pause := b.next()
			require.GreaterOrEqual(t, pause, most/2)
			require.Less(t, pause, most)
			if pause < most*3/4 {
				early++
			} else {
				late++
			}
		}
		require.Greater(t, early, agents/5, "attempt %d", attempt)
		require.Greater(t, late, agents/5, "attempt %d", attempt)
	}
}
