package deliver

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShareOfADelivery has deliveries begin and end at random: the oldest ones are at full.
func TestShareOfADelivery(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var c crowd
	var running []*inTheCrowd // oldest first
	for range 5000 {
		if n := len(running); n == 0 || r.IntN(200) > n {
			running = append(running, c.join())
		} else {
			i := r.IntN(n)
			running[i].leave()
			running = slices.Delete(running, i, i+1)
		}
		for i, d := range running {
			want := 8
			if i >= 64 {
				want = 1
			}
			require.Equal(t, want, d.share(), "delivery %d of %d", i, len(running))
		}
	}
	for _, d := range running {
		d.leave()
	}
	require.Zero(t, c.full)
	require.Empty(t, c.queue)
}
