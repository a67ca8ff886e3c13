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

// A key that can wait lets all others go first, also after an error, until it is added as one of them.
func TestOthersGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began []string
		failure := errors.New("not yet")
		q := New[string](time.Second, time.Minute)
		for _, key := range []string{"many-1", "many-2", "many-3"} {
			q.AddLater(key, time.Millisecond)
		}
		time.Sleep(time.Millisecond)
		q.Add("release")
		q.Add("many-3")
		ctx, cancel := context.WithCancel(t.Context())
		go q.Run(ctx, 1, func(_ context.Context, key string) error {
			began = append(began, key)
			if len(began) == 3 {
				q.AddAfter("web", 1100*time.Millisecond) // after the back-off of many-1
				return failure
			}
			time.Sleep(1500 * time.Millisecond)
			return nil
		}, func(string, error) {})
		time.Sleep(time.Minute)
		cancel()
		synctest.Wait()
		require.Equal(t, []string{"release", "many-3", "many-1", "many-2", "web", "many-1"}, began)
	})
}
