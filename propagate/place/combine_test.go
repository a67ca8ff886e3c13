package place

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listAll chooses regions as the rule is written (Karmada §4.5, steps 3 and 4), by making a list of all combinations;
// it is what combine must equal.
func listAll(regions []region, limit constraint, clusters int) []region {
	order := slices.SortedFunc(slices.Values(regions), func(a, b region) int {
		return cmp.Or(cmp.Compare(len(a.clusters), len(b.clusters)), worthier(a, b))
	})
	var found [][]region
	var extend func(have []region, from int)
	extend = func(have []region, from int) {
		if len(have) >= limit.least && len(have) <= limit.most && clustersOf(have) >= clusters {
			found = append(found, slices.Clone(have))
			return
		}
		for i := from; i < len(order); i++ {
			extend(append(have, order[i]), i+1)
		}
	}
	extend(nil, 0)
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b []region) int {
		return cmp.Or(cmp.Compare(worthOf(b), worthOf(a)), cmp.Compare(clustersOf(b), clustersOf(a)))
	})
	best := sortedByWorth(found[0])
	for _, other := range found[1:] {
		if other = sortedByWorth(other); len(other) < len(best) && slices.Equal(names(other), names(best[:len(other)])) {
			best = other
		}
	}
	return best
}

func worthOf(regions []region) int64 {
	var sum int64
	for _, r := range regions {
		sum += r.worth
	}
	return sum
}

func sortedByWorth(regions []region) []region {
	return slices.SortedFunc(slices.Values(regions), worthier)
}

func names(regions []region) []string {
	all := []string{}
	for _, r := range regions {
		all = append(all, r.name)
	}
	return all
}

func TestCombineIsTheRuleWithoutTheList(t *testing.T) {
	possible := 0
	for seed := range uint64(20000) {
		random := rand.New(rand.NewPCG(seed, 5))
		regions := randomRegions(random, 1+random.IntN(7))
		limit := constraint{least: 1 + random.IntN(4), most: math.MaxInt}
		if random.IntN(3) > 0 {
			limit.most = limit.least + random.IntN(3)
		}
		clusters := 1 + random.IntN(8)
		want := listAll(regions, limit, clusters)
		taken := combine(regions, limit, clusters)
		if want == nil {
			require.Nil(t, taken, "seed %d", seed)
			continue
		}
		possible++
		require.Equal(t, names(want), names(taken), "seed %d: %v %d clusters of %v", seed, limit, clusters, regions)
	}
	require.Greater(t, possible, 5000)
}

func randomRegions(random *rand.Rand, n int) []region {
	regions := make([]region, n)
	for i := range regions {
		regions[i] = region{
			name:     fmt.Sprintf("r%03d", i),
			clusters: make([]Candidate, 1+random.IntN(4)),
			worth:    unit*random.Int64N(4) + 50*random.Int64N(2),
		}
	}
	return regions
}

// TestManyRegions: what cannot be listed is still found, within the bound that maxSteps gives.
func TestManyRegions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name            string
		regions         int
		least, clusters int
	}{
		{"half of a hundred regions", 100, 50, 1},
		{"half of a hundred regions and most clusters", 100, 50, 200},
		{"three of a hundred regions", 100, 3, 9},
		{"beyond the bound", 1000, 300, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			regions := randomRegions(random, c.regions)
			start := time.Now()
			taken := combine(regions, constraint{least: c.least, most: c.least + 20 + c.regions/2}, c.clusters)
			require.Less(t, time.Since(start), 5*time.Second)
			require.GreaterOrEqual(t, len(taken), c.least)
			require.GreaterOrEqual(t, clustersOf(taken), c.clusters)
		})
	}
}

func TestTheLargestRegionsFindACombinationWhenThereIsOne(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 6))
		regions := randomRegions(random, 1+random.IntN(6))
		least := 1 + random.IntN(3)
		g := goal{least: least, most: least + random.IntN(3), clusters: 1 + random.IntN(12)}
		exact, large := newSearch(g, regions).best(), newSearch(g, regions).largest()
		require.Equal(t, exact == nil, large == nil, "seed %d", seed)
	}
}

func BenchmarkCombine(b *testing.B) {
	regions := randomRegions(rand.New(rand.NewPCG(1, 1)), 100)
	for b.Loop() {
		combine(regions, constraint{least: 50, most: 70}, 200)
	}
}
