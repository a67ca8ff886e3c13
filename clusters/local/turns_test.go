package local

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// A write of an agent waits while others are in progress. Reads, and writes of others, do not.
func TestAgentsWriteInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inTurn, end := make(turns, 2), make(chan struct{})
		var begun []string
		h := inTurn.wait(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			begun = append(begun, r.URL.Path)
			<-end
		}))
		send := func(ctx context.Context, method, name, path string) {
			ctx = request.WithUser(ctx, &user.DefaultInfo{Name: name})
			go h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, path, nil))
			synctest.Wait()
		}
		given, giveUp := context.WithCancel(t.Context())
		send(t.Context(), http.MethodPatch, delivery.AgentUserPrefix+"eu", "/1")
		send(t.Context(), http.MethodPost, delivery.AgentUserPrefix+"us", "/2")
		send(given, http.MethodPatch, delivery.AgentUserPrefix+"asia", "/gives-up")
		send(t.Context(), http.MethodPatch, delivery.AgentUserPrefix+"asia", "/waits")
		send(t.Context(), http.MethodGet, delivery.AgentUserPrefix+"asia", "/3")
		send(t.Context(), http.MethodPatch, "accord", "/4")
		require.Equal(t, []string{"/1", "/2", "/3", "/4"}, begun)
		giveUp()
		synctest.Wait()
		require.Len(t, begun, 4)
		end <- struct{}{}
		end <- struct{}{}
		end <- struct{}{}
		synctest.Wait()
		require.Equal(t, []string{"/1", "/2", "/3", "/4", "/waits"}, begun)
		close(end)
	})
}

// The version of the records that has no watch cache is the one that nobody watches.
func TestWholeVersion(t *testing.T) {
	require.Equal(t, v1alpha1.WholeVersion, wholeVersion)
}
