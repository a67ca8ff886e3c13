package sync

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/source"
)

// TestHostileNetworks: only the networks of the own Tenant admit a source with a private address.
func TestHostileNetworks(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	reached := make(chan struct{}, 10)
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			reached <- struct{}{}
			conn.Close()
		}
	}()
	tenant := func(name string, networks ...string) v1alpha1.Tenant {
		x := v1alpha1.Tenant{Spec: v1alpha1.TenantSpec{Sources: []string{"**"}, Networks: networks}}
		x.Name, x.Spec.Federations.Namespaces = name, []string{name}
		return x
	}
	tenants := []v1alpha1.Tenant{tenant("team-a", "127.0.0.0/8"), tenant("team-b", "10.0.0.0/8"), tenant("team-c")}
	cache, err := source.OpenGit(t.TempDir(), source.Policy{})
	require.NoError(t, err)
	for _, team := range []string{"team-a", "team-b", "team-c"} {
		fed := &v1alpha1.Federation{Spec: v1alpha1.FederationSpec{Sources: []v1alpha1.Source{{Name: "main", URL: "https://" + server.Addr().String() + "/x.git"}}}}
		fed.Namespace, fed.Name = team, "shop"
		rules, refused := tenancy.Of(tenants, team+"/shop", true)
		require.Nil(t, refused)
		_, err := Fetch(t.Context(), Sources{Git: cache}, fed, rules, nil)
		require.Error(t, err)
		if team == "team-a" {
			require.NotContains(t, err.Error(), "private")
			require.NotEmpty(t, reached)
			for len(reached) > 0 {
				<-reached
			}
			continue
		}
		require.ErrorContains(t, err, "the address is loopback, link-local or private, and no allowed network has it")
		require.Empty(t, reached)
	}
}
