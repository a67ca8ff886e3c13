package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSmallPlan runs the measurement with few objects. It fails if a warm cache changes the output.
func TestSmallPlan(t *testing.T) {
	f, err := runPlan(t.Context(), planning{objects: 400, rounds: 1}, t.Output())
	require.NoError(t, err)
	for _, r := range []planRun{f.whole, f.cold, f.warm} {
		require.Positive(t, r.wall)
		require.Positive(t, r.cpu)
		require.Positive(t, r.resident)
	}
}

func TestPlanFiguresBesideTheirBars(t *testing.T) {
	f := planFigures{
		planning: planning{objects: 50000, rounds: 3}, whole: planRun{wall: 900 * time.Millisecond},
		cold: planRun{wall: 12 * time.Second, resident: 3 << 30}, warm: planRun{wall: 2500 * time.Millisecond},
	}
	var printed strings.Builder
	require.NoError(t, f.print(&printed))
	require.Contains(t, printed.String(), "1000 objects on 100 clusters, p50 of 3")
	require.Regexp(t, `without a cache +900 ms +1 s +ok`, printed.String())
	require.Regexp(t, `with an empty cache +12\.0 s *\n`, printed.String())
	require.Regexp(t, `at its peak +3072 MB`, printed.String())
	require.Regexp(t, `with a warm cache +2500 ms +2 s +MISSED`, printed.String())
	require.Equal(t, 5*time.Second, middleRun([]planRun{{wall: 9 * time.Second}, {wall: time.Second}, {wall: 5 * time.Second}}).wall)
}
