package clusters

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// TestHostileImpersonation: the API server judges the requests of each account by its own rights, on one connection for all.
func TestHostileImpersonation(t *testing.T) {
	var connections atomic.Int64
	cfg := rest.CopyConfig(plane.Config())
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		connections.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	m := connect(t, cfg)
	put(t, m, "ours", "impersonation", "1")
	for i := range 20 {
		user := fmt.Sprintf("system:serviceaccount:team-%d:deployer", i)
		as, err := m.As(user)
		require.NoError(t, err)
		_, err = as.Metadata.Resource(configMaps).Namespace("default").Get(t.Context(), "ours", metav1.GetOptions{})
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		require.ErrorContains(t, err, `User "`+user+`" cannot get resource "configmaps"`)
		_, err = as.Objects.Resource(configMaps).Namespace("default").Get(t.Context(), "ours", metav1.GetOptions{})
		require.True(t, apierrors.IsForbidden(err), "%v", err)
	}
	own, err := m.As("")
	require.NoError(t, err)
	_, err = own.Metadata.Resource(configMaps).Namespace("default").Get(t.Context(), "ours", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 1, connections.Load())
}
