package clusterimport

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyGetRequestsAreSent(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent++ }))
	defer server.Close()
	client := &http.Client{Transport: readOnly{http.DefaultTransport}}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/pods", nil)
		require.NoError(t, err)
		_, err = client.Do(request)
		require.ErrorContains(t, err, "refused "+method+" /api/v1/pods: the import only reads")
	}
	require.Zero(t, sent)
	answer, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 1, sent)
}

func TestReasonsAreCountedWithoutNames(t *testing.T) {
	require.Equal(t, "made by ReplicaSet", general("made by ReplicaSet web-1"))
	require.Equal(t, "made by its Service", general("made by its Service"))
	require.Equal(t, "a finished Job", general("a finished Job"))
}
