package splice_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/splice"
)

// TestRandomLists compares with lists that are made from nothing. Entries are compared by their tens.
func TestRandomLists(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	byTens := func(a, b int) int { return cmp.Compare(a/10, b/10) }
	list := func() []int {
		var all []int
		for n := 1; n < 9; n++ {
			if random.IntN(2) == 0 {
				all = append(all, 10*n+random.IntN(3))
			}
		}
		return all
	}
	replaced := 0
	for range 2000 {
		before, in := list(), list()
		var out []int
		for _, x := range before {
			if _, again := slices.BinarySearchFunc(in, x, byTens); again || random.IntN(4) == 0 {
				out = append(out, x)
			}
		}
		want := slices.DeleteFunc(slices.Clone(before), func(x int) bool { return slices.Contains(out, x) })
		want = append(want, in...)
		slices.Sort(want)
		after, unique := splice.List(before, out, in, byTens)
		require.Equal(t, want, append([]int{}, after...))
		require.True(t, unique)

		edits := splice.Edits(before, out, in, byTens)
		require.True(t, slices.IsSortedFunc(edits, func(a, b splice.Edit) int { return cmp.Compare(a.At, b.At) }))
		var edited []int
		done := 0
		for _, e := range edits {
			edited, done = append(edited, before[done:e.At]...), e.At
			if e.By >= 0 {
				edited = append(edited, after[len(edited)])
			}
			if e.By <= 0 {
				done++
			}
		}
		require.Equal(t, append([]int{}, after...), append(append([]int{}, edited...), before[done:]...))
		replaced += len(edits)

		var first, second []int
		for x, y := range splice.Pairs(before, after, byTens) {
			require.True(t, x == 0 || y == 0 || x/10 == y/10)
			first, second = append(first, x), append(second, y)
		}
		zero := func(x int) bool { return x == 0 }
		require.Equal(t, append([]int{}, before...), append([]int{}, slices.DeleteFunc(first, zero)...))
		require.Equal(t, append([]int{}, after...), append([]int{}, slices.DeleteFunc(second, zero)...))
	}
	require.Positive(t, replaced)
}

func TestAnEntryTwiceIsNotUnique(t *testing.T) {
	for _, in := range [][]int{{2}, {4, 4}} {
		_, unique := splice.List([]int{1, 2, 3}, nil, in, cmp.Compare[int])
		require.False(t, unique, in)
	}
}

func TestPlaces(t *testing.T) {
	list := make([]int, 100)
	for i := range list {
		list[i] = 7 * i
	}
	for _, n := range []int{0, 1, 16, 17, 100} {
		some, want := map[int]bool{}, []int(nil)
		for _, at := range rand.New(rand.NewPCG(1, 2)).Perm(len(list))[:n] {
			some[list[at]], want = true, append(want, at)
		}
		require.ElementsMatch(t, want, splice.Places(list, some))
	}
}
