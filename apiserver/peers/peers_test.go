package peers

import (
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/accord-dev/accord/apiserver/certificate"
)

func replica(t *testing.T, hub *fake.Clientset, name, address string) *Peers {
	t.Helper()
	return New(Options{
		Leases: hub.CoordinationV1().Leases("accord-system"), Identity: name, Address: address, Host: "accord-api.accord-system.svc",
		Own: certificate.NewReplica(), Trust: &certificate.Trust{}, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
}

func TestReplicasFindEachOther(t *testing.T) {
	hub := fake.NewClientset()
	one, two := replica(t, hub, "one", "10.0.0.1:8443"), replica(t, hub, "two", "10.0.0.2:8443")
	for range 2 { // created, and renewed
		require.NoError(t, one.renew(t.Context()))
		require.NoError(t, two.renew(t.Context()))
	}
	require.NoError(t, one.list(t.Context()))
	require.Equal(t, []string{"10.0.0.2:8443"}, one.addresses())

	require.NoError(t, hub.CoordinationV1().Leases("accord-system").Delete(t.Context(), "accord-api-two", metav1.DeleteOptions{}))
	require.NoError(t, one.list(t.Context()))
	require.Empty(t, one.addresses())
	two.Address = "10.0.0.3:8443"
	require.NoError(t, two.renew(t.Context()), "somebody deleted the Lease")
	require.NoError(t, one.list(t.Context()))
	require.Equal(t, []string{"10.0.0.3:8443"}, one.addresses())
}

func TestAReplicaThatDoesNotRenewIsDead(t *testing.T) {
	p := replica(t, fake.NewClientset(), "one", "10.0.0.1:8443")
	lease := func(version int) []coordinationv1.Lease {
		return []coordinationv1.Lease{{ObjectMeta: metav1.ObjectMeta{Name: "accord-api-two", ResourceVersion: fmt.Sprint(version), Annotations: map[string]string{addressAnnotation: "10.0.0.2:8443"}}}}
	}
	alive := func(now time.Time) bool { return p.known["accord-api-two"].alive(now) }
	now := time.Now()
	require.Empty(t, p.observe(lease(1), now))
	require.True(t, alive(now.Add(duration-1)))
	require.False(t, alive(now.Add(duration)))
	require.Empty(t, p.observe(lease(1), now.Add(duration)))
	require.False(t, alive(now.Add(duration)), "it was not renewed")
	require.Empty(t, p.observe(lease(2), now.Add(2*duration)))
	require.True(t, alive(now.Add(2*duration)))
	require.Len(t, p.observe(lease(2), now.Add(2*duration+obsolete)), 1)
}

func TestAddress(t *testing.T) {
	own, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer own.Close()
	address, err := Address(own)
	require.NoError(t, err)
	require.Equal(t, own.Addr().String(), address)
}
