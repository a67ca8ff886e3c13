package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/fleet"
)

func deployments(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apps", Version: version, Kind: "Deployment"}
}

func TestEnablement(t *testing.T) { // Karmada §1.8
	served := map[schema.GroupVersionKind]bool{deployments("v1"): true}
	for _, c := range []struct {
		name    string
		apis    *fleet.APIs
		version string
		want    fleet.Enablement
	}{
		{"never asked", nil, "v1", fleet.Unknown},
		{"listed", &fleet.APIs{Complete: true, Served: served}, "v1", fleet.Enabled},
		{"listed, and the list is not complete", &fleet.APIs{Served: served}, "v1", fleet.Enabled},
		{"not listed", &fleet.APIs{Complete: true, Served: served}, "v2", fleet.Disabled},
		{"not listed, and the list is not complete", &fleet.APIs{Served: served}, "v2", fleet.Unknown},
		{"nothing listed", &fleet.APIs{}, "v1", fleet.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, c.apis.Enablement(deployments(c.version)))
		})
	}
}

func TestVersions(t *testing.T) {
	apis := &fleet.APIs{Served: map[schema.GroupVersionKind]bool{
		deployments("v1beta1"): true, deployments("v2"): true, deployments("v1"): true, deployments("v10"): true,
		deployments("v3"): false, {Group: "extensions", Version: "v4", Kind: "Deployment"}: true,
	}}
	require.Equal(t, []string{"v10", "v2", "v1", "v1beta1"}, apis.Versions(deployments("").GroupKind()))
	require.Empty(t, apis.Versions(schema.GroupKind{Group: "apps", Kind: "StatefulSet"}))
	require.Empty(t, (*fleet.APIs)(nil).Versions(deployments("").GroupKind()))
}
