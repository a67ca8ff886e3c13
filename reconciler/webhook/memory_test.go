package webhook

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
	"k8s.io/utils/lru"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestBodiesShareMemory checks that unfinished bodies cannot exhaust the memory, and that finished ones release it.
func TestBodiesShareMemory(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle(pattern, handler{
		hook: func(context.Context, string, string) (hook, error) {
			return hook{key: []byte(hookKey), sources: []v1alpha1.Source{{}}}, nil
		},
		pushed: func(context.Context, string, string) error { return nil },
		seen:   lru.New(maxDeliveries), memory: semaphore.NewWeighted(1000), log: slog.New(slog.DiscardHandler),
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	small, most := large(100), large(1000)
	at := srv.URL + "/hook/demo/prod"

	status, _ := post(t, at, most, generic(hookKey, most))
	require.Equal(t, http.StatusAccepted, status)
	status, _ = post(t, at, most+"x", generic(hookKey, most+"x"))
	require.Equal(t, http.StatusServiceUnavailable, status)

	sending, rest := io.Pipe()
	slow := make(chan error, 1)
	go func() {
		in, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, sending)
		if err == nil {
			var out *http.Response
			if out, err = http.DefaultClient.Do(in); err == nil {
				err = out.Body.Close()
			}
		}
		slow <- err
	}()
	_, err := io.WriteString(rest, strings.Repeat("x", 950))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		status, _ = post(t, at, small, generic(hookKey, small))
		return status == http.StatusServiceUnavailable
	}, time.Minute, 10*time.Millisecond, "there is no room beside what is being sent")
	require.NoError(t, rest.Close())
	require.NoError(t, <-slow)
	status, _ = post(t, at, small, generic(hookKey, small))
	require.Equal(t, http.StatusAccepted, status)
}
