package memberserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// TestMetricsAreOfAllServers reads at one server what happened at two.
func TestMetricsAreOfAllServers(t *testing.T) {
	h, err := NewHost()
	require.NoError(t, err)
	var objects []dynamic.ResourceInterface
	var servers []*Server
	for _, name := range []string{"eu", "us"} {
		s, err := h.Start(name)
		require.NoError(t, err)
		one := dynamicFor(t, s.Config()).Resource(configMaps).Namespace("default")
		applyAll(t, one, configMap("a", "x", "1"), configMap("b", "x", "1"))
		objects, servers = append(objects, one), append(servers, s)
	}
	_, err = objects[0].Get(t.Context(), "nothing", metav1.GetOptions{})
	require.Error(t, err)
	w, err := objects[1].Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	require.Equal(t, "ADDED a 1", next(t, w))
	require.NoError(t, objects[0].Delete(t.Context(), "a", metav1.DeleteOptions{}))

	metrics := func() string {
		text, err := typedFor(t, servers[1].Config()).RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
		require.NoError(t, err)
		return string(text)
	}
	require.Contains(t, metrics(), `apiserver_request_total{code="201",group="",resource="configmaps",verb="APPLY"} 4`)
	require.Contains(t, metrics(), `apiserver_request_total{code="404",group="",resource="configmaps",verb="GET"} 1`)
	require.Contains(t, metrics(), `apiserver_request_total{code="200",group="",resource="configmaps",verb="DELETE"} 1`)
	require.Contains(t, metrics(), `apiserver_longrunning_requests{group="",resource="configmaps",verb="WATCH"} 1`)
	require.Contains(t, metrics(), `memberserver_objects{namespace="default",resource="configmaps"} 3`)
	require.NoError(t, servers[0].Close())
	require.Contains(t, metrics(), `memberserver_objects{namespace="default",resource="configmaps"} 2`)
	require.NoError(t, servers[1].Close())
}
