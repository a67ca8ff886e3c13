package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"clusterName", []string{"clusterNames", "exclude", "labelSelector"}, "clusterNames"},
		{"clustreNames", []string{"clusterNames", "exclude"}, "clusterNames"},
		{"deployment", []string{"Deployment", "DaemonSet"}, "Deployment"},
		{"staticClusterWeight", []string{"dynamicWeight", "staticWeightList"}, "staticWeightList"},
		{"suspend", []string{"suspension", "placement", "priority"}, "suspension"},
		{"selectors", []string{"resourceSelectors", "placement"}, "resourceSelectors"},
		{"selector", []string{"labelSelector", "fieldSelector"}, ""},
		{"cluster-d", []string{"cluster-a", "cluster-b"}, ""},
		{"xyz", []string{"placement"}, ""},
		{"x", nil, ""},
		{"", []string{"placement", "e"}, ""},
		{"x", []string{"e"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, manifest.Nearest(c.name, c.candidates))
		})
	}
	require.Equal(t, `; did you mean "eu"?`, manifest.DidYouMean("ue", []string{"eu", "asia"}))
	require.Empty(t, manifest.DidYouMean("africa", []string{"eu", "asia"}))
}
