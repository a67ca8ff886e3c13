package status

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestTallyIsThatOfSortedItems compares the bounded selection with a sort of all items.
func TestTallyIsThatOfSortedItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		items := make([]item, r.IntN(40))
		for i := range items {
			items[i] = item{
				name: fmt.Sprintf("c%02d", r.IntN(30)), state: severity[r.IntN(len(severity))], message: fmt.Sprint(i),
				applied: r.IntN(2) == 0, written: r.IntN(5) > 0, refused: r.IntN(9) == 0, terminal: r.IntN(30) == 0, mutated: r.IntN(30) == 0,
			}
		}
		healthy := r.IntN(3)
		got := countBeside("clusters", slices.Values(items), healthy)

		sorted := slices.Clone(items)
		slices.SortStableFunc(sorted, func(a, b item) int {
			return cmp.Or(cmp.Compare(slices.Index(severity[:], a.state), slices.Index(severity[:], b.state)), cmp.Compare(a.name, b.name))
		})
		require.True(t, slices.Equal(sorted[:min(len(sorted), maxProblems)], got.worst), "%v", got.worst)
		for at, s := range severity {
			i := slices.IndexFunc(sorted, func(i item) bool { return i.state == s })
			if i < 0 {
				require.Nil(t, got.first[at])
			} else {
				require.Equal(t, sorted[i], *got.first[at])
			}
		}
		has := func(f func(item) bool) bool { return slices.ContainsFunc(items, f) }
		require.Equal(t, has(func(i item) bool { return i.terminal }), got.terminal)
		require.Equal(t, has(func(i item) bool { return i.mutated }), got.mutated)
		require.Equal(t, has(func(i item) bool { return i.state == v1alpha1.Failed && i.refused }), got.refused)
		require.Equal(t, has(func(i item) bool { return !i.written }), got.unwritten > 0)
		require.Equal(t, has(func(i item) bool { return !i.written && i.state != v1alpha1.Unreachable }), got.pending > 0)
		require.EqualValues(t, len(items)+healthy, got.Total)
		shown, omitted := got.problems()
		require.EqualValues(t, got.Total-got.Healthy, len(shown)+int(omitted))
	}
}

// BenchmarkTally counts the objects of a large cluster in the middle of a bulk.
func BenchmarkTally(b *testing.B) {
	items := make([]item, 6000)
	for i := range items {
		items[i] = item{name: fmt.Sprintf("apps/Deployment shop/web-%04d", i*7919%6000), state: v1alpha1.Progressing}
	}
	for b.Loop() {
		count("objects", slices.Clone(items))
	}
}
