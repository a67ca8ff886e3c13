package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
)

func TestFrom(t *testing.T) {
	declared := v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "eu", Labels: map[string]string{"tier": "prod", v1alpha1.SourceLabel: "fleet.prod"}},
		Spec: v1alpha1.ClusterSpec{
			Provider: "p", Region: "r", Zone: "z", Taints: []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}},
		},
	}
	origin := manifest.Origin{Path: "c.yaml", Line: 3}
	require.Equal(t, fleet.Cluster{
		Name: "eu", Labels: map[string]string{"tier": "prod"}, Provider: "p", Region: "r", Zones: []string{"z"},
		Taints: declared.Spec.Taints, Origin: origin,
	}, fleet.From(declared, origin))
	require.Contains(t, declared.Labels, v1alpha1.SourceLabel, "the object is left alone")

	declared.Spec.Zone, declared.Spec.Zones = "", []string{"a", "b"}
	require.Equal(t, []string{"a", "b"}, fleet.From(declared, origin).Zones)
}
