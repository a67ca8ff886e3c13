package apiserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/apiserver/clusterproxy"
)

// TestAReplicaThatFollowsEndsTheConnection: the next request of the same client is a new connection, which may lead to another replica.
func TestAReplicaThatFollowsEndsTheConnection(t *testing.T) {
	scheme, err := newScheme()
	require.NoError(t, err)
	store := bundles.New(bundles.CompressedLimit)
	leader := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	handler := (&ways{}).ofLeader(leader, Options{Bundles: store}, serializer.NewCodecFactory(scheme), nil)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := &request.RequestInfo{IsResourceRequest: r.URL.Path != "/openapi", APIGroup: delivery.GroupVersion.Group, Subresource: strings.TrimPrefix(r.URL.Path, "/bundles/")}
		if r.URL.Path == "/proxy" {
			info.APIGroup = clusterproxy.GroupVersion.Group
		}
		handler.ServeHTTP(w, r.WithContext(request.WithRequestInfo(r.Context(), info)))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()

	send := func(path string) (resp *http.Response, reused bool) {
		trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
		r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, server.URL+path, nil)
		require.NoError(t, err)
		resp, err = server.Client().Do(r)
		require.NoError(t, err)
		require.Equal(t, 2, resp.ProtoMajor)
		return resp, reused
	}
	for range 3 {
		resp, reused := send("/bundles")
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		require.Equal(t, "1", resp.Header.Get("Retry-After"))
		require.False(t, reused)
		var s metav1.Status
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&s))
		require.NoError(t, resp.Body.Close())
		require.Contains(t, s.Message, "publishes no bundles")
	}
	for i, path := range []string{"/openapi", "/proxy", "/bundles/attach", "/bundles"} {
		if i == 3 {
			store.Open()
		}
		resp, reused := send(path)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, resp.StatusCode, "%s does not need the leader", path)
		require.Equal(t, i > 0, reused)
	}
}
