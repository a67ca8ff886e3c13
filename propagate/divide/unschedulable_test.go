package divide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/divide"
)

// TestUnschedulableReplicas: a cluster that cannot schedule replicas never gets more of them, loses at most these, and loses one only if
// another cluster has room for it. No replica is lost.
func TestUnschedulableReplicas(t *testing.T) {
	moves := 0
	check := func(t *testing.T, random *rand.Rand, r divide.Request) {
		for i := range r.Candidates {
			if c := &r.Candidates[i]; c.Chosen && random.IntN(3) == 0 {
				c.Unschedulable = random.Int32N(c.Before + 2)
			}
		}
		usual := r
		usual.Candidates = slices.Clone(r.Candidates)
		var had, elsewhere int32
		for i, c := range r.Candidates {
			had += c.Before
			if min(c.Unschedulable, c.Before) == 0 {
				elsewhere += c.Room
			}
			usual.Candidates[i].Unschedulable = 0
		}
		want, fitsUsually := shared(t, usual)
		got, fits := shared(t, r)
		require.Equal(t, fitsUsually, fits, "a choice is possible as without unschedulable replicas")
		if !fits || r.Total == 0 {
			require.Equal(t, want, got)
			return
		}
		if elsewhere <= max(0, r.Total-had) {
			require.Equal(t, want, got, "without room elsewhere nothing moves")
			return
		}
		var sum int32
		for _, n := range got {
			sum += n
		}
		require.Equal(t, r.Total, sum)
		for _, c := range r.Candidates {
			stuck, n := min(c.Unschedulable, c.Before), got[c.Cluster.Name]
			if stuck == 0 {
				continue
			}
			require.LessOrEqual(t, n, c.Before)
			if had == r.Total {
				require.GreaterOrEqual(t, n, c.Before-stuck)
			}
			if n < c.Before {
				moves++
			}
		}
		// The division that follows, with the free resources that are left, moves nothing back.
		following := next(r, got)
		for i := range following.Candidates {
			following.Candidates[i].Unschedulable = 0
		}
		again, _ := shared(t, following)
		require.Equal(t, got, again)
	}
	every(t, check, dynamic, aggregated)
	require.Greater(t, moves, 500)
}
