package cluster

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestOnlyGetRequestsAreSent(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent++ }))
	defer server.Close()
	client := &http.Client{Transport: ReadOnly(http.DefaultTransport)}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/pods", nil)
		require.NoError(t, err)
		_, err = client.Do(request)
		require.ErrorContains(t, err, "refused "+method+" /api/v1/pods: accord only reads this cluster")
	}
	require.Zero(t, sent)
	answer, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 1, sent)
}

// TestAnEndedReaderWaitsForNobody: a request ends with its Reader, before the answer and during it.
func TestAnEndedReaderWaitsForNobody(t *testing.T) {
	for name, answers := range map[string]bool{"no answer": false, "an answer that does not end": true} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if answers {
					w.WriteHeader(http.StatusOK)
					_ = http.NewResponseController(w).Flush()
				}
				close(arrived)
				<-r.Context().Done()
			}))
			defer server.Close()
			ctx, end := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				answer, err := (&http.Client{Transport: ending{ctx, http.DefaultTransport}}).Get(server.URL)
				if err == nil {
					_, err = answer.Body.Read(make([]byte, 1))
					_ = answer.Body.Close()
				}
				ended <- err
			}()
			<-arrived
			end()
			select {
			case err := <-ended:
				require.ErrorIs(t, err, context.Canceled)
			case <-time.After(time.Minute):
				require.Fail(t, "the request goes on")
			}
		})
	}
}

// TestABlackHoleIsClosedAtOnce: discovery of a cluster that never answers takes half a minute, and Close does not wait for it.
func TestABlackHoleIsClosedAtOnce(t *testing.T) {
	arrived, ended := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	r, err := Open(Options{Name: "prod", Config: &rest.Config{Host: server.URL}, User: "reader", History: NewHistory(), Changed: func() {}, Unsaved: func(error) {}})
	require.NoError(t, err)
	<-arrived
	go func() { r.Close(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		require.Fail(t, "Close waits")
	}
}
