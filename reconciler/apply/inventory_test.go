package apply

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// TestAKeptInventoryIsTheOneAfterTheDelivery: a delivery that changes no entry keeps the inventory itself; any other has the
// observed and the written objects, without those that are gone.
func TestAKeptInventoryIsTheOneAfterTheDelivery(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	kept := 0
	for range 2000 {
		some := func(one int) map[manifest.ID]bool {
			ids := map[manifest.ID]bool{}
			for i := range 5 {
				if random.IntN(one) == 0 {
					ids[manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint("c", i)}] = true
				}
			}
			return ids
		}
		observed, recorded, written, pruned, released := some(1+random.IntN(2)), some(1+random.IntN(2)), some(5), some(12), some(20)
		objects := &live.Objects{}
		for id := range observed {
			objects.Put(id, live.Object{Digest: "d"})
		}
		d, err := newDelivery(&clusters.Member{}, "demo/prod", propagate.ClusterPlan{}, objects, live.NewInventory(recorded, nil), Options{})
		require.NoError(t, err)
		want := map[manifest.ID]bool{}
		for id := range observed {
			if recorded[id] {
				want[id] = true
			}
		}
		for id := range written {
			d.tasks = append(d.tasks, &task{Placed: propagate.Placed{Rendered: &propagate.Rendered{ID: id}}})
			want[id] = true
		}
		for id := range released {
			d.outcome.Released = append(d.outcome.Released, id)
			delete(want, id)
		}
		for id := range pruned {
			d.outcome.Pruned = append(d.outcome.Pruned, id)
			delete(want, id)
		}
		var failed error
		if random.IntN(4) == 0 {
			failed = errors.New("no answer")
			maps.Copy(want, recorded)
		}
		got := d.inventory(failed)
		require.Equal(t, live.NewInventory(want, nil).Entries(), got.Entries())
		if got == d.previous {
			kept++
		}
	}
	require.Greater(t, kept, 100)
}
