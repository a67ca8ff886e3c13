package retryqueue

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A key whose work failed comes back after the first time, and after twice the time when it fails again; success forgets its failures.
func TestFailedWorkIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		var told []error
		failure := errors.New("not yet")
		q := New[string](time.Second, time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		q.Add("web")
		go q.Run(ctx, 1, func(context.Context, string) error {
			at = append(at, time.Since(began))
			if len(at) == 3 {
				return nil
			}
			return failure
		}, func(_ string, err error) { told = append(told, err) })
		time.Sleep(time.Minute)
		q.Add("web")
		time.Sleep(time.Minute)
		cancel()
		synctest.Wait()
		require.Equal(t, []time.Duration{0, time.Second, 3 * time.Second, time.Minute, time.Minute + time.Second}, at[:5])
		require.Equal(t, failure, told[0])
	})
}
