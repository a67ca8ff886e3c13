package networks

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
)

// TestHostileNetworks: the networks of a Tenant count for the requests of its own Federations only.
func TestHostileNetworks(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	tenant := &v1alpha1.Tenant{Spec: v1alpha1.TenantSpec{Networks: []string{"10.20.0.0/16"}}}
	tenant.Name, tenant.Spec.Federations.Namespaces = "team-a", []string{"team-a"}
	all := egress.Networks{netip.MustParsePrefix("192.168.0.0/16")}
	hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tenant).Build()
	for namespace, want := range map[string]egress.Networks{
		"team-a": {all[0], netip.MustParsePrefix("10.20.0.0/16")}, "team-b": all,
	} {
		fed := &v1alpha1.Federation{}
		fed.Namespace, fed.Name = namespace, "shop"
		networks, err := Of(t.Context(), hub, fed, all)
		require.NoError(t, err)
		require.Equal(t, want, networks, namespace)
	}
}
