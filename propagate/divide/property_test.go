package divide_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/place"
)

const (
	duplicated = "Duplicated"
	static     = "static weights"
	dynamic    = "DynamicWeight"
	aggregated = "Aggregated"
)

func scheduling(random *rand.Rand, strategy string) *policy.ReplicaScheduling {
	s := &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Divided, ReplicaDivisionPreference: policy.Weighted}
	switch strategy {
	case duplicated:
		s.ReplicaSchedulingType = policy.Duplicated
	case static:
		s.WeightPreference = &policy.WeightPreference{}
		for range random.IntN(4) {
			s.WeightPreference.StaticWeightList = append(s.WeightPreference.StaticWeightList, policy.StaticWeight{
				TargetCluster: policy.ClusterAffinity{Exclude: []string{name(random.IntN(8))}}, Weight: 1 + random.Int64N(5),
			})
		}
	case dynamic:
		s.WeightPreference = &policy.WeightPreference{DynamicWeight: "AvailableReplicas"}
	case aggregated:
		s.ReplicaDivisionPreference = policy.Aggregated
	}
	return s
}

func clusters(names ...string) []place.Candidate {
	all := make([]place.Candidate, len(names))
	for i, name := range names {
		all[i].Cluster = &fleet.Cluster{Name: name}
	}
	return all
}

func name(i int) string { return fmt.Sprintf("c%02d", i) }

// requests are random requests of a strategy: clusters with and without room and past, in several tiers if tiers is
// larger than one.
func requests(t *testing.T, strategy string, tiers int, check func(t *testing.T, random *rand.Rand, r divide.Request)) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 5))
		r := divide.Request{Total: random.Int32N(40), Scheduling: scheduling(random, strategy), Seed: random.Uint32()}
		for i := range 1 + random.IntN(7) {
			c := place.Candidate{Cluster: &fleet.Cluster{Name: name(i)}, Room: random.Int32N(15), Tier: random.IntN(tiers), Chosen: random.IntN(2) == 0}
			if c.Chosen {
				c.Before = random.Int32N(8)
			}
			r.Candidates = append(r.Candidates, c)
		}
		check(t, random, r)
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, r)
		}
	}
}

func every(t *testing.T, check func(t *testing.T, random *rand.Rand, r divide.Request), strategies ...string) {
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) { requests(t, strategy, 1, check) })
	}
}

func everyWithOverflow(t *testing.T, check func(t *testing.T, random *rand.Rand, r divide.Request)) {
	every(t, check, duplicated, static, dynamic, aggregated)
	t.Run("DynamicWeight with overflow", func(t *testing.T) { requests(t, dynamic, 3, check) })
	t.Run("Aggregated with overflow", func(t *testing.T) { requests(t, aggregated, 3, check) })
}

// shared are the shares by cluster, without those that are refused; false when there is not enough room.
func shared(t *testing.T, r divide.Request) (map[string]int32, bool) {
	shares, err := divide.Replicas(r)
	require.Len(t, divide.Explain(r), len(r.Candidates))
	require.NotContains(t, divide.Explain(r), "")
	if err != nil {
		var problem *place.Problem
		require.True(t, errors.As(err, &problem))
		require.NotEmpty(t, problem.Field)
		require.Nil(t, shares)
		return nil, false
	}
	got := map[string]int32{}
	for i, share := range shares {
		require.Equal(t, share.Refused == "", share.Field == "")
		if share.Refused == "" {
			got[r.Candidates[i].Cluster.Name] = share.Replicas
		} else {
			require.Zero(t, share.Replicas)
		}
	}
	return got, true
}

// next is the request that follows r when its answer was carried out: room is what is left then.
func next(r divide.Request, got map[string]int32) divide.Request {
	r.Candidates = slices.Clone(r.Candidates)
	for i, c := range r.Candidates {
		n, on := got[c.Cluster.Name]
		c.Room, c.Chosen, c.Before = max(0, c.Room+c.Before-n), on, n
		r.Candidates[i] = c
	}
	return r
}

func sum(shares map[string]int32) int32 {
	var sum int32
	for _, n := range shares {
		sum += n
	}
	return sum
}

func TestSharesSumToTheTotal(t *testing.T) {
	everyWithOverflow(t, func(t *testing.T, _ *rand.Rand, r divide.Request) {
		got, ok := shared(t, r)
		switch {
		case !ok:
		case r.Scheduling.ReplicaSchedulingType == policy.Duplicated:
			require.Equal(t, r.Total*int32(len(r.Candidates)), sum(got))
		default:
			require.Equal(t, r.Total, sum(got))
			require.NotEmpty(t, got)
		}
	})
}

func TestTheOrderOfClustersDoesNotCount(t *testing.T) {
	everyWithOverflow(t, func(t *testing.T, random *rand.Rand, r divide.Request) {
		want, wanted := shared(t, r)
		r.Candidates = slices.Clone(r.Candidates)
		random.Shuffle(len(r.Candidates), func(i, j int) { r.Candidates[i], r.Candidates[j] = r.Candidates[j], r.Candidates[i] })
		got, ok := shared(t, r)
		require.Equal(t, wanted, ok)
		require.Equal(t, want, got)
	})
}

// TestDividingAgainChangesNothing: whether the clusters tell already what is left of their room or not yet.
func TestDividingAgainChangesNothing(t *testing.T) {
	everyWithOverflow(t, func(t *testing.T, random *rand.Rand, r divide.Request) {
		want, ok := shared(t, r)
		if !ok {
			return
		}
		again := next(r, want)
		got, ok := shared(t, again)
		require.True(t, ok)
		require.Equal(t, want, got)
		for i := range again.Candidates {
			again.Candidates[i].Room = random.Int32N(15)
		}
		got, ok = shared(t, again)
		require.True(t, ok)
		require.Equal(t, want, got)
	})
}

// TestOneClusterLessMovesOnlyWhatWasThere: the others lose nothing, and get what it had.
func TestOneClusterLessMovesOnlyWhatWasThere(t *testing.T) {
	every(t, func(t *testing.T, random *rand.Rand, r divide.Request) {
		before, ok := shared(t, r)
		if !ok || r.Total == 0 {
			return
		}
		less := next(r, before)
		gone := random.IntN(len(less.Candidates))
		left := less.Candidates[gone].Cluster.Name
		less.Candidates = slices.Delete(less.Candidates, gone, gone+1)
		after, ok := shared(t, less)
		if !ok || len(less.Candidates) == 0 {
			return
		}
		if r.Scheduling.ReplicaSchedulingType == policy.Divided && onlyMatched(r, left) {
			return // it was the only one with a weight; without it all weigh the same
		}
		for name, n := range before {
			require.True(t, name == left || after[name] >= n, "%s: %v, then %v without %s", name, before, after, left)
		}
	}, duplicated, static, dynamic, aggregated)
}

// onlyMatched says whether no other cluster than this matches an entry of staticWeightList.
func onlyMatched(r divide.Request, name string) bool {
	p := r.Scheduling.WeightPreference
	if p == nil || len(p.StaticWeightList) == 0 {
		return false
	}
	for _, c := range r.Candidates {
		for _, w := range p.StaticWeightList {
			if ok, _, _ := c.Cluster.Matches(w.TargetCluster); ok && c.Cluster.Name != name {
				return false
			}
		}
	}
	return true
}

func TestNoClusterGetsMoreThanItHasRoomFor(t *testing.T) {
	check := func(t *testing.T, random *rand.Rand, r divide.Request) {
		r.Fresh = random.IntN(4) == 0
		got, ok := shared(t, r)
		if !ok {
			return
		}
		for _, c := range r.Candidates {
			require.LessOrEqual(t, got[c.Cluster.Name], c.Before+c.Room, c.Cluster.Name)
		}
	}
	for _, strategy := range []string{dynamic, aggregated} {
		t.Run(strategy, func(t *testing.T) { requests(t, strategy, 1, check) })
		t.Run(strategy+" with overflow", func(t *testing.T) { requests(t, strategy, 3, check) })
	}
}

// TestScalingMovesNothing: up takes from no cluster, down gives to none.
func TestScalingMovesNothing(t *testing.T) {
	every(t, func(t *testing.T, random *rand.Rand, r divide.Request) {
		var had int32
		for _, c := range r.Candidates {
			had += c.Before
		}
		got, ok := shared(t, r)
		if !ok {
			return
		}
		for _, c := range r.Candidates {
			n := got[c.Cluster.Name]
			require.False(t, had <= r.Total && n < c.Before || had >= r.Total && n > c.Before, "%s: %d -> %d", c.Cluster.Name, c.Before, n)
		}
	}, dynamic, aggregated)
}

// TestAggregatedTakesNoClusterTooMany: without the past, no fewer clusters would do.
func TestAggregatedTakesNoClusterTooMany(t *testing.T) {
	every(t, func(t *testing.T, random *rand.Rand, r divide.Request) {
		r.Fresh = true
		got, ok := shared(t, r)
		if !ok || r.Total == 0 {
			return
		}
		var rooms []int32
		for _, c := range r.Candidates {
			rooms = append(rooms, c.Room+c.Before)
		}
		slices.Sort(rooms)
		slices.Reverse(rooms)
		var fits int32
		for _, room := range rooms[:len(got)-1] {
			fits += room
		}
		require.Less(t, fits, r.Total, "%v", got)
	}, aggregated)
}

// TestOverflowIsUsedOnlyWhenTheTiersBeforeAreFull holds for a first division.
func TestOverflowIsUsedOnlyWhenTheTiersBeforeAreFull(t *testing.T) {
	check := func(t *testing.T, random *rand.Rand, r divide.Request) {
		r.Fresh = true
		got, ok := shared(t, r)
		if !ok || r.Total == 0 {
			return
		}
		last := 0
		for _, c := range r.Candidates {
			if got[c.Cluster.Name] > 0 {
				last = max(last, c.Tier)
			}
		}
		for _, c := range r.Candidates {
			if c.Tier < last {
				require.Equal(t, c.Room+c.Before, got[c.Cluster.Name], c.Cluster.Name)
			}
		}
	}
	requests(t, dynamic, 3, check)
	requests(t, aggregated, 3, check)
}

func TestOfEqualClustersTheFirstNameIsTaken(t *testing.T) {
	r := divide.Request{Total: 20, Scheduling: scheduling(nil, aggregated)}
	for i := range 50 {
		r.Candidates = append(r.Candidates, place.Candidate{Room: 10, Cluster: &fleet.Cluster{Name: name(i)}})
	}
	got, ok := shared(t, r)
	require.True(t, ok)
	require.Equal(t, map[string]int32{"c00": 10, "c01": 10}, got)
}

// TestLessThanNothingIsNothing: a hub may be written by anybody.
func TestLessThanNothingIsNothing(t *testing.T) {
	for _, strategy := range []string{dynamic, aggregated} {
		r := divide.Request{Total: 12, Scheduling: scheduling(nil, strategy), Candidates: clusters("c00", "c01", "c02")}
		r.Candidates[0].Room, r.Candidates[1].Room, r.Candidates[2].Before = -5, 12, -7
		got, ok := shared(t, r)
		require.True(t, ok, strategy)
		require.Equal(t, map[string]int32{"c01": 12}, got, strategy)
		r.Total = -1
		got, ok = shared(t, r)
		require.True(t, ok, strategy)
		require.Equal(t, map[string]int32{"c00": 0, "c01": 0, "c02": 0}, got, strategy)
	}
}

// FuzzReplicas: whatever a hub or a person writes, shares are not negative, and divided ones sum to the total.
func FuzzReplicas(f *testing.F) {
	f.Add(int32(12), uint8(2), uint32(0), int32(6), int32(2), uint8(0), int32(12), int32(4), uint8(1), false)
	f.Add(int32(math.MaxInt32), uint8(3), uint32(1), int32(math.MaxInt32), int32(math.MaxInt32), uint8(0), int32(math.MaxInt32), int32(math.MaxInt32), uint8(9), true)
	f.Add(int32(math.MaxInt32), uint8(2), uint32(1), int32(math.MaxInt32), int32(0), uint8(0), int32(1), int32(math.MaxInt32), uint8(0), false)
	f.Add(int32(-3), uint8(1), uint32(7), int32(math.MinInt32), int32(-1), uint8(2), int32(-1), int32(math.MinInt32), uint8(2), false)
	f.Fuzz(func(t *testing.T, total int32, strategy uint8, seed uint32, room1, before1 int32, tier1 uint8, room2, before2 int32, tier2 uint8, fresh bool) {
		strategies := []string{duplicated, static, dynamic, aggregated}
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		r := divide.Request{Total: total, Scheduling: scheduling(random, strategies[strategy%4]), Seed: seed, Fresh: fresh, Candidates: clusters("c00", "c01", "c02")}
		r.Candidates[0].Room, r.Candidates[0].Before, r.Candidates[0].Tier, r.Candidates[0].Chosen = room1, before1, int(tier1), before1 > 0
		r.Candidates[1].Room, r.Candidates[1].Before, r.Candidates[1].Tier, r.Candidates[1].Chosen = room2, before2, int(tier2), before2 > 0
		got, ok := shared(t, r)
		if !ok || r.Scheduling.ReplicaSchedulingType == policy.Duplicated {
			return
		}
		var sum int64
		for _, n := range got {
			require.GreaterOrEqual(t, n, int32(0))
			sum += int64(n)
		}
		require.Equal(t, int64(max(0, total)), sum)
	})
}

func BenchmarkReplicasOver1000Clusters(b *testing.B) {
	for _, strategy := range []string{static, dynamic, aggregated} {
		b.Run(strategy, func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 1))
			r := divide.Request{Total: 10_000, Scheduling: scheduling(random, strategy)}
			for i := range 1000 {
				c := place.Candidate{Cluster: &fleet.Cluster{Name: fmt.Sprintf("cluster-%04d", i)}, Room: 10 + random.Int32N(100)}
				r.Candidates = append(r.Candidates, c)
			}
			for b.Loop() {
				_, err := divide.Replicas(r)
				require.NoError(b, err)
			}
		})
	}
}
