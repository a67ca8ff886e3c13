package place_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/place"
)

func placement(t *testing.T, text string) policy.Placement {
	var p policy.Placement
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &p))
	return p
}

func TestRefuses(t *testing.T) {
	cluster := fleet.Cluster{Name: "a", Region: "eu"}
	for _, c := range []struct{ name, placement, why, field string }{
		{"no affinity", `{}`, "", ""},
		{"named", `{clusterAffinity: {clusterNames: [a, b]}}`, "", ""},
		{"excluded", `{clusterAffinity: {exclude: [a]}}`, "is in exclude", "clusterAffinity.exclude"},
		{"not named", `{clusterAffinity: {clusterNames: [b]}}`, "not in clusterNames [b]", "clusterAffinity.clusterNames"},
	} {
		t.Run(c.name, func(t *testing.T) {
			why, field := place.Question{Placement: placement(t, c.placement)}.Refuses(cluster)
			require.Equal(t, c.why, why)
			require.Equal(t, c.field, field)
		})
	}
}

func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ name, placement, field string }{
		{"empty", `{}`, ""},
		{"one affinity", `{clusterAffinity: {clusterNames: [a]}}`, ""},
		{"several affinities", `{clusterAffinities: [{affinityName: a}]}`, "clusterAffinities"},
		{"duplicated, whatever the preference", `{replicaScheduling: {replicaSchedulingType: Duplicated, replicaDivisionPreference: Aggregated}}`, ""},
		{"static weights", `{replicaScheduling: {replicaSchedulingType: Divided, weightPreference: {staticWeightList: []}}}`, ""},
		{"aggregated", `{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}`, "replicaScheduling.replicaDivisionPreference"},
		{"dynamic weight", `{replicaScheduling: {replicaSchedulingType: Divided, weightPreference: {dynamicWeight: AvailableReplicas}}}`, "replicaScheduling.weightPreference.dynamicWeight"},
		{"only refined", `{spreadConstraints: [{minGroups: 1}], clusterTolerations: [{key: a}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			why, field := place.Unsupported(placement(t, c.placement))
			require.Equal(t, c.field, field)
			require.Equal(t, c.field != "", why != "")
		})
	}
}
