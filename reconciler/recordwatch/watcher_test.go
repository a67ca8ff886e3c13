package recordwatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDefectR8BackOffFromAnotherWriter(t *testing.T) {
	w, r, now := &watcher{restored: map[record]history{}}, record{resource: "releases"}, time.Unix(0, 0)
	require.Zero(t, w.backoff(r, now), "the first time at once")
	require.Equal(t, time.Second, w.backoff(r, now))
	for _, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		require.Positive(t, w.backoff(r, now.Add(wait-1)))
		now = now.Add(wait)
		require.Zero(t, w.backoff(r, now))
	}
	require.Zero(t, w.backoff(record{resource: "deliveries"}, now), "another record")
	for range 20 {
		now = now.Add(w.backoff(r, now))
	}
	require.LessOrEqual(t, w.backoff(r, now), lastBackoff)
	now = now.Add(quiet + 1)
	require.Zero(t, w.backoff(r, now))
	require.Equal(t, time.Second, w.backoff(r, now), "it starts again")
}
