package place_test

import (
	"math/rand/v2"
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
	for _, c := range []struct {
		name, placement string
		want            *place.Refusal
	}{
		{"no affinity", `{}`, nil},
		{"named", `{clusterAffinity: {clusterNames: [a, b]}}`, nil},
		{"excluded", `{clusterAffinity: {exclude: [a]}}`, &place.Refusal{Why: "is in exclude", Field: "clusterAffinity.exclude", Reason: place.NotSelected}},
		{"not named", `{clusterAffinity: {clusterNames: [b]}}`, &place.Refusal{Why: "not in clusterNames [b]", Field: "clusterAffinity.clusterNames", Reason: place.NotSelected}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, place.Question{Placement: placement(t, c.placement)}.Refuses(cluster))
		})
	}
}

func TestNeedsRoom(t *testing.T) {
	const (
		aggregated = `replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}`
		dynamic    = `replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}`
		static     = `replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: [{targetCluster: {}, weight: 1}]}}`
		unweighed  = `replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {}}`
		cluster    = `spreadConstraints: [{spreadByField: cluster, minGroups: 1}]`
		few        = `spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 2}]`
		region     = `spreadConstraints: [{spreadByField: region, minGroups: 1}, {spreadByField: cluster, minGroups: 1}]`
	)
	for _, c := range []struct {
		name, placement string
		total           int32
		want            bool
	}{
		{"duplicated", `{}`, 5, false},
		{"aggregated", `{` + aggregated + `}`, 5, true},
		{"dynamic weight", `{` + dynamic + `}`, 5, true},
		{"nothing to divide", `{` + dynamic + `}`, 0, false},
		{"static weights", `{` + static + `}`, 5, false},
		{"static weights ignore constraints", `{` + static + `, ` + few + `}`, 5, false},
		{"empty weights do not", `{` + unweighed + `, ` + cluster + `}`, 5, true},
		{"copies in every cluster", `{` + cluster + `}`, 5, false},
		{"copies in some clusters", `{` + few + `}`, 5, true},
		{"copies in a region", `{` + region + `}`, 5, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := place.Question{Placement: placement(t, c.placement), Workload: true, Total: c.total}
			require.Equal(t, c.want, q.NeedsRoom())
			q.Workload = false
			require.False(t, q.NeedsRoom(), "what has no replicas needs no room")
		})
	}
}

// TestWithoutNeedRoomIsNotLookedAt: where NeedsRoom says so, the selection is the same whatever the room.
func TestWithoutNeedRoomIsNotLookedAt(t *testing.T) {
	checked := 0
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 9))
		q := randomQuestion(random)
		candidates := randomCandidates(random, q)
		if q.NeedsRoom() {
			continue
		}
		checked++
		s, err := q.Select(candidates)
		for i := range candidates {
			candidates[i].Room = 0
		}
		without, errWithout := q.Select(candidates)
		require.Equal(t, err, errWithout, "seed %d", seed)
		require.Equal(t, chosen(s), chosen(without), "seed %d", seed)
		require.Equal(t, s.NotChosen, without.NotChosen, "seed %d", seed)
	}
	require.Greater(t, checked, 500)
}
