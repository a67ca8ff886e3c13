package replica

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// slow answers after a time, or ends with the error of its context.
type slow time.Duration

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(time.Duration(s)):
		return &http.Response{StatusCode: http.StatusOK}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// TestASentWriteIsAnswered cancels a delivery while one of its requests is under way: a write ends with the answer of the cluster,
// or after the grace period, and a read ends at once.
func TestASentWriteIsAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		takes  time.Duration
		ends   time.Duration // after the cancellation
		wrong  error
	}{
		"a write":            {http.MethodPatch, 2 * time.Second, time.Second, nil},
		"a write that hangs": {http.MethodPatch, time.Hour, writeGrace, context.Canceled},
		"a read":             {http.MethodGet, 2 * time.Second, 0, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				r, err := http.NewRequestWithContext(ctx, c.method, "https://member", http.NoBody)
				require.NoError(t, err)
				began := time.Now()
				answer, err := fence{slow(c.takes), "member", func(*http.Request) bool { return true }}.RoundTrip(r)
				require.ErrorIs(t, err, c.wrong)
				if answer != nil && answer.Body != nil {
					_ = answer.Body.Close()
				}
				require.Equal(t, time.Second+c.ends, time.Since(began))
			})
		})
	}
}

// TestAWriteHasItsTime lets the time of a request pass: it ends without the grace period.
func TestAWriteHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPatch, "https://member", http.NoBody)
		require.NoError(t, err)
		began := time.Now()
		_, err = fence{slow(time.Hour), "member", func(*http.Request) bool { return true }}.RoundTrip(r)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
	})
}
