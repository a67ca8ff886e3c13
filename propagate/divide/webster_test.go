package divide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/divide"
)

func TestTiesGoByTheSeed(t *testing.T) {
	parties := []divide.Party{{Name: "a", Votes: 1}, {Name: "b", Votes: 1}, {Name: "c", Votes: 1}}
	require.Equal(t, []int32{1, 0, 0}, divide.Webster(1, parties, 2))
	require.Equal(t, []int32{0, 0, 1}, divide.Webster(1, parties, 3))
	require.Equal(t, []int32{0, 1, 1}, divide.Webster(2, parties, 3))
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

func TestLargeVotesAreComparedExactly(t *testing.T) {
	votes := []int64{math.MaxInt64 / 3, math.MaxInt64, 1, math.MaxInt64 - 1}
	require.Equal(t, []int32{1, 2, 0, 2}, divide.Webster(5, parties(votes), 0))
	require.Equal(t, []int32{0, 1, 0, 0}, divide.Webster(1, parties(votes), 1), "one vote more")
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
