package deliveryreport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// The hub has an inventory only if a report with each of its entries was written.
func TestTheHubHasAnInventory(t *testing.T) {
	of := func(entries ...string) *v1alpha1.DeliveryReport {
		r := &v1alpha1.DeliveryReport{}
		r.Status.ApplyResult.Inventory = entries
		return r
	}
	require.False(t, Published{}.HasInventory(nil), "nothing was written")
	_, first, err := Published{}.Patch(of("a", "c", "d"))
	require.NoError(t, err)
	for _, known := range [][]string{nil, {"a"}, {"d"}, {"a", "d"}, {"a", "c", "d"}} {
		require.True(t, first.HasInventory(known), known)
	}
	for _, grown := range [][]string{{"b"}, {"a", "b"}, {"a", "c", "d", "e"}, {"0", "a"}} {
		require.False(t, first.HasInventory(grown), grown)
	}
	_, next, err := first.Patch(of("a"))
	require.NoError(t, err)
	require.False(t, next.HasInventory([]string{"c"}), "a later report without the entry")
}
