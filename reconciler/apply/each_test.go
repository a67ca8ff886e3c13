package apply

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEach changes the number of workers at random: every item is worked on once, in order, and the number is kept to.
func TestEach(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			items := make([]int, r.IntN(60))
			for i := range items {
				items[i] = i
			}
			var limit, running atomic.Int32
			limit.Store(int32(r.IntN(5))) // 0 counts as 1
			var mu sync.Mutex             // of the two below
			var began []int
			busiest := 0
			err := each(t.Context(), func() int { return int(limit.Load()) }, items, func(_ context.Context, i int) error {
				now := int(running.Add(1))
				defer running.Add(-1)
				mu.Lock()
				busiest = max(busiest, now)
				began = append(began, i)
				mu.Unlock()
				time.Sleep(time.Duration(1+i%3) * time.Second)
				if i == 30 {
					limit.Store(8)
				}
				return nil
			})
			require.NoError(t, err)
			require.ElementsMatch(t, items, began)
			if len(items) > 0 {
				require.GreaterOrEqual(t, busiest, 1)
			}
			if len(items) <= 30 {
				require.LessOrEqual(t, busiest, max(1, int(limit.Load())))
				require.Equal(t, min(len(items), max(1, int(limit.Load()))), busiest)
			} else if len(items) > 45 {
				require.Equal(t, 8, busiest, "the limit grew")
			}
		})
	}
}

func TestEachWithFewerWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, last, limit atomic.Int32
		limit.Store(4)
		err := each(t.Context(), func() int { return int(limit.Load()) }, make([]int, 40), func(context.Context, int) error {
			last.Store(running.Add(1))
			defer running.Add(-1)
			time.Sleep(time.Second)
			limit.Store(1)
			return nil
		})
		require.NoError(t, err)
		require.EqualValues(t, 1, last.Load())
	})
}

func TestEachStopsAfterAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		var began atomic.Int32
		err := each(t.Context(), func() int { return 2 }, make([]int, 40), func(context.Context, int) error {
			if began.Add(1) == 5 {
				return broken
			}
			time.Sleep(time.Second)
			return nil
		})
		require.ErrorIs(t, err, broken)
		require.LessOrEqual(t, began.Load(), int32(6))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, each(ctx, func() int { return 2 }, make([]int, 4), func(context.Context, int) error { return nil }), context.Canceled)
	})
}
