package workqueue

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// run has the keys in the order in which their work began.
type run struct {
	mu   sync.Mutex
	keys []string
}

func (r *run) begin(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = append(r.keys, key)
}

func (r *run) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys := r.keys
	r.keys = nil
	return keys
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began run
		q := New(1, time.Second, 4*time.Second, func(key string, priority int) {
			began.begin(key)
			time.Sleep(10 * time.Second)
		})
		defer q.Close()
		q.Add("now", 0, 0)
		q.Add("first", 0, 0)
		q.Add("second", 0, 0)
		q.Add("urgent", 5, 0)
		q.Add("raised", 0, 0)
		q.Add("raised", 3, time.Hour) // keeps its time
		q.Add("second", -1, 0)        // keeps its priority
		q.Add("late", 9, time.Hour)
		q.Add("sooner", 9, time.Hour)
		q.Add("sooner", 0, 15*time.Second)
		q.Add("now", 1, 0) // waits until its work has returned
		require.Equal(t, 5, q.Len())
		time.Sleep(2 * time.Minute)
		require.Equal(t, []string{"now", "urgent", "sooner", "raised", "now", "first", "second"}, began.take())
		require.Zero(t, q.Len())
		time.Sleep(time.Hour)
		require.Equal(t, []string{"late"}, began.take())
	})
}

func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began run
		q := New(2, time.Second, 4*time.Second, func(key string, priority int) { began.begin(key) })
		defer q.Close()
		for _, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second} {
			q.Retry("a", 1)
			time.Sleep(wait - time.Millisecond)
			require.Empty(t, began.take())
			time.Sleep(2 * time.Millisecond)
			require.Equal(t, []string{"a"}, began.take())
		}
		q.Forget("a")
		q.Retry("a", 1)
		q.Add("a", 0, 0) // a new request does not wait for the back-off
		synctest.Wait()
		require.Equal(t, []string{"a"}, began.take())
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began run
		ended := false
		q := New(1, time.Second, time.Second, func(key string, priority int) {
			began.begin(key)
			time.Sleep(time.Minute)
			ended = true
		})
		q.Add("running", 0, 0)
		q.Add("waiting", 0, 0)
		q.Add("late", 0, time.Second)
		time.Sleep(time.Second)
		q.Close()
		require.True(t, ended, "Close waits for running work")
		q.Add("closed", 0, 0)
		time.Sleep(time.Hour)
		require.Equal(t, []string{"running"}, began.take())
	})
}

// TestNoKeyTwiceAtOnce adds keys at random from several goroutines: each request is followed by work that begins after it, at most
// limit at once, and never two of one key.
func TestNoKeyTwiceAtOnce(t *testing.T) {
	const keys, limit = 5, 3
	var running [keys]atomic.Int32
	var begun [keys]atomic.Int64
	var all atomic.Int32
	var twice, over atomic.Bool
	q := New(limit, time.Millisecond, time.Millisecond, func(key, priority int) {
		begun[key].Add(1)
		if running[key].Add(1) > 1 {
			twice.Store(true)
		}
		if all.Add(1) > limit {
			over.Store(true)
		}
		time.Sleep(time.Duration(priority) * 100 * time.Microsecond)
		all.Add(-1)
		running[key].Add(-1)
	})
	var adding sync.WaitGroup
	for seed := range uint64(4) {
		adding.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 200 {
				key := r.IntN(keys)
				before := begun[key].Load()
				q.Add(key, r.IntN(3), time.Duration(r.IntN(2))*time.Millisecond)
				for begun[key].Load() == before {
					time.Sleep(50 * time.Microsecond)
				}
			}
		})
	}
	adding.Wait()
	q.Close()
	require.False(t, twice.Load())
	require.False(t, over.Load())
}
