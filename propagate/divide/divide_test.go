package divide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/place"
)

func clusters(names ...string) []place.Candidate {
	all := make([]place.Candidate, len(names))
	for i, name := range names {
		all[i].Cluster.Name = name
	}
	return all
}

func weighed(weights map[string]int64) *policy.ReplicaScheduling {
	list := []policy.StaticWeight{}
	for name, weight := range weights {
		list = append(list, policy.StaticWeight{TargetCluster: policy.ClusterAffinity{ClusterNames: []string{name}}, Weight: weight})
	}
	return &policy.ReplicaScheduling{
		ReplicaSchedulingType: policy.Divided, ReplicaDivisionPreference: policy.Weighted,
		WeightPreference: &policy.WeightPreference{StaticWeightList: list},
	}
}

// TestReplicas has the cases that were run against Karmada's own scheduler (Karmada §4.7); -1 is no target.
func TestReplicas(t *testing.T) {
	abc := clusters("a", "b", "c")
	divided := &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Divided}
	for _, c := range []struct {
		name     string
		total    int32
		schedule *policy.ReplicaScheduling
		clusters []place.Candidate
		want     []int32
	}{
		{"nothing said", 3, nil, abc, []int32{3, 3, 3}},
		{"duplicated", 3, &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Duplicated}, abc, []int32{3, 3, 3}},
		{"S1 9 over 1:2", 9, weighed(map[string]int64{"a": 1, "b": 2}), clusters("a", "b"), []int32{3, 6}},
		{"S3 10 over 1:1:1", 10, weighed(map[string]int64{"a": 1, "b": 1, "c": 1}), abc, []int32{4, 3, 3}},
		{"S5 7 over 2:1:1", 7, weighed(map[string]int64{"a": 2, "b": 1, "c": 1}), abc, []int32{3, 2, 2}},
		{"S5b 2 over 3:2:1", 2, weighed(map[string]int64{"a": 3, "b": 2, "c": 1}), abc, []int32{1, 1, -1}},
		{"S5c 1 over 1:1", 1, weighed(map[string]int64{"a": 1, "b": 1}), clusters("a", "b"), []int32{1, -1}},
		{"S6 c is not listed", 6, weighed(map[string]int64{"a": 1, "b": 1}), abc, []int32{3, 3, -1}},
		{"S7 the weights match nobody", 7, weighed(map[string]int64{"x": 9}), abc, []int32{3, 2, 2}},
		{"S8 no weights", 7, divided, abc, []int32{3, 2, 2}},
		{"S14 empty weights", 5, weighed(nil), clusters("a", "b"), []int32{3, 2}},
		{"zero replicas stay placed", 0, weighed(map[string]int64{"a": 1, "b": 3}), abc, []int32{0, 0, -1}},
		{"no clusters", 5, divided, nil, []int32{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := []int32{}
			shares, err := divide.Replicas(divide.Request{Total: c.total, Scheduling: c.schedule, Candidates: c.clusters})
			require.NoError(t, err)
			for _, share := range shares {
				if share.Refused != "" {
					require.NotEmpty(t, share.Field)
					share.Replicas = -1
				}
				got = append(got, share.Replicas)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestTheLargestWeightCounts(t *testing.T) {
	s := weighed(map[string]int64{"a": 1})
	s.WeightPreference.StaticWeightList = append(s.WeightPreference.StaticWeightList,
		policy.StaticWeight{Weight: 3}, policy.StaticWeight{Weight: 2}) // an empty affinity matches every cluster
	shares, err := divide.Replicas(divide.Request{Total: 8, Scheduling: s, Candidates: clusters("a", "b")})
	require.NoError(t, err)
	require.Equal(t, int32(4), shares[0].Replicas)
	require.Equal(t, int32(4), shares[1].Replicas)
}

func TestTiesGoByTheSeed(t *testing.T) {
	parties := []divide.Party{{Name: "a", Votes: 1}, {Name: "b", Votes: 1}, {Name: "c", Votes: 1}}
	require.Equal(t, []int32{1, 0, 0}, divide.Webster(1, parties, 2))
	require.Equal(t, []int32{0, 0, 1}, divide.Webster(1, parties, 3))
	require.Equal(t, []int32{0, 1, 1}, divide.Webster(2, parties, 3))
}

func TestJobCompletions(t *testing.T) { // Karmada §4.9
	for _, c := range []struct {
		seats int32
		votes []int64
		want  []int32
	}{
		{10, []int64{2, 1}, []int32{7, 3}},
		{5, []int64{2, 1, 1}, []int32{3, 1, 1}},
		{2, []int64{3, 3, 4}, []int32{1, 0, 1}},
		{3, []int64{1, 1, 1}, []int32{1, 1, 1}},
	} {
		require.Equal(t, c.want, divide.Webster(c.seats, parties(c.votes), 0), c)
	}
}

func parties(votes []int64) []divide.Party {
	all := make([]divide.Party, len(votes))
	for i, v := range votes {
		all[i] = divide.Party{Name: fmt.Sprintf("p%02d", i), Votes: v}
	}
	return all
}

// one gives out seat by seat as the rule is written; it is what Webster must equal.
func one(seats int32, parties []divide.Party, seed uint32) []int32 {
	got := make([]int32, len(parties))
	for range seats {
		best := -1
		for i, p := range parties {
			if p.Votes > 0 && (best < 0 || before(parties, got, i, best, seed)) {
				best = i
			}
		}
		if best < 0 {
			return got
		}
		got[best]++
	}
	return got
}

func before(parties []divide.Party, got []int32, i, j int, seed uint32) bool {
	a, b := parties[i].Votes*int64(2*got[j]+1), parties[j].Votes*int64(2*got[i]+1)
	if a != b {
		return a > b
	}
	if got[i] != got[j] {
		return got[i] < got[j]
	}
	return (parties[i].Name < parties[j].Name) == (seed%2 == 0)
}

func TestWebsterIsTheRuleSeatBySeat(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		votes := make([]int64, 1+random.IntN(9))
		for i := range votes {
			votes[i] = random.Int64N(1 + random.Int64N(1000))
		}
		seats, seed := random.Int32N(400), random.Uint32()
		require.Equal(t, one(seats, parties(votes), seed), divide.Webster(seats, parties(votes), seed), "%d over %v", seats, votes)
	}
}

func TestOneMoreSeatTakesNoneAway(t *testing.T) {
	votes := []int64{53, 24, 23, 0, 7}
	before := divide.Webster(0, parties(votes), 1)
	for seats := range int32(300) {
		now := divide.Webster(seats+1, parties(votes), 1)
		for i := range now {
			require.GreaterOrEqual(t, now[i], before[i])
		}
		before = now
	}
}

func FuzzWebster(f *testing.F) {
	f.Add(int32(10), int64(2), int64(1), int64(0), uint32(1))
	f.Add(int32(math.MaxInt32), int64(math.MaxInt64), int64(math.MaxInt64), int64(1), uint32(0))
	f.Add(int32(-5), int64(-1), int64(math.MinInt64), int64(5), uint32(0))
	f.Fuzz(func(t *testing.T, seats int32, a, b, c int64, seed uint32) {
		votes := []int64{a, b, c}
		got := divide.Webster(seats, parties(votes), seed)
		var sum int64
		for i, n := range got {
			require.GreaterOrEqual(t, n, int32(0))
			require.False(t, votes[i] <= 0 && n > 0)
			sum += int64(n)
		}
		if slices.Max(votes) > 0 {
			require.Equal(t, max(0, int64(seats)), sum)
		} else {
			require.Zero(t, sum)
		}
	})
}
