package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/inventory"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

// restored returns a Federation after a restart, with the parts of an inventory of 2,500 objects, which spoil may change. It also
// returns the entries, and the parts as they were written.
func restored(spoil func([]v1alpha1.Inventory) []v1alpha1.Inventory) (*Federation, []string, func() []v1alpha1.Inventory) {
	d := v1alpha1.Delivery{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod-eu-1", UID: "1", Generation: 1},
		Spec:       v1alpha1.DeliverySpec{Federation: "prod", Cluster: "eu-1"}, Status: v1alpha1.DeliveryStatus{InventoryCount: 2500},
	}
	entries := make([]string, d.Status.InventoryCount)
	for i := range entries {
		entries[i] = fmt.Sprintf("shop_settings-%04d__ConfigMap", i)
	}
	f := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, NewRegistry(reachability.NewTracker()), fingerprint.New(nil, true))
	writes := inventory.Recorded{}.Objects(entries, &d, f.besideDelivery(&delivery.State{Name: "eu-1", Record: delivery.Record{Delivery: &d}}))
	parts := func() (all []v1alpha1.Inventory) {
		for _, step := range writes.Steps {
			for _, p := range step.Puts {
				all = append(all, *p.DeepCopy())
			}
		}
		return all
	}
	f = Restore(f.Declared(), Stored{Deliveries: []v1alpha1.Delivery{d}, Inventories: spoil(parts())}, f.registry, f.fingerprints)
	f.active.plan, f.active.persisted = &propagate.Plan{}, true
	return f, entries, parts
}

// TestNothingIsPrunedByHalfAnInventory: a delivery of an inventory that cannot be read completely ends with the error, and nobody
// writes the inventory until it can be read again.
func TestNothingIsPrunedByHalfAnInventory(t *testing.T) {
	whole := func(parts []v1alpha1.Inventory) []v1alpha1.Inventory { return parts }
	f, entries, parts := restored(whole)
	j, ok := f.Begin("eu-1", func() {})
	require.True(t, ok)
	require.NoError(t, j.InventoryError)
	require.Equal(t, entries, j.Inventory.Entries())

	for name, spoil := range map[string]func([]v1alpha1.Inventory) []v1alpha1.Inventory{
		"all parts are missing": func([]v1alpha1.Inventory) []v1alpha1.Inventory { return nil },
		"one part is missing":   func(parts []v1alpha1.Inventory) []v1alpha1.Inventory { return parts[1:] },
		"an entry is missing": func(parts []v1alpha1.Inventory) []v1alpha1.Inventory {
			parts[0].Spec.Entries = parts[0].Spec.Entries[1:]
			return parts
		},
		"an entry is of another form": func(parts []v1alpha1.Inventory) []v1alpha1.Inventory {
			s := &parts[0].Spec
			*s = inventory.Part{From: s.From, To: s.To, Entries: append([]string{strings.TrimSuffix(s.From, "__ConfigMap") + "~"}, s.Entries[1:]...)}.Spec(v1alpha1.DeliverySpec{Federation: s.Federation, Cluster: s.Cluster})
			return parts
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, _, _ := restored(spoil)
			j, ok := f.Begin("eu-1", func() {})
			require.True(t, ok)
			require.ErrorContains(t, j.InventoryError, "inventory")
			l := f.clusters["eu-1"]
			require.False(t, l.Idle(), "the cluster has objects, whatever is known of them")
			if l.Unreadable == nil {
				return // the parts are whole, and stay as they are until a delivery ends
			}
			_, ok = f.InventoryWrites("eu-1", false)
			require.False(t, ok, "the parts that are left stay as they are")
			require.Nil(t, f.Record(&v1alpha1.Inventory{ObjectMeta: metav1.ObjectMeta{Name: "prod-eu-1-0"}}))

			f.ReadInventory("eu-1", delivery.NewInherited(nil, spoil(parts()), nil))
			require.Error(t, l.Unreadable)
			f.ReadInventory("eu-1", delivery.NewInherited(nil, parts(), nil))
			j, _ = f.Begin("eu-1", func() {})
			require.NoError(t, j.InventoryError)
			require.Equal(t, entries, j.Inventory.Entries())
		})
	}
}

// TestADeletedDeliveryDropsHalfAnInventory: a person deletes the Delivery so that accord asks the cluster.
func TestADeletedDeliveryDropsHalfAnInventory(t *testing.T) {
	f, _, _ := restored(func(parts []v1alpha1.Inventory) []v1alpha1.Inventory { return parts[1:] })
	again := f.Record(&v1alpha1.Delivery{ObjectMeta: metav1.ObjectMeta{Name: "prod-eu-1"}}).(*v1alpha1.Delivery)
	again.UID = "2"
	c := f.Put(again, midday)
	require.Len(t, c.Deliveries, 1)
	require.Zero(t, f.clusters["eu-1"].Delivery.Status.InventoryCount)
	j, ok := f.Begin("eu-1", func() {})
	require.True(t, ok)
	require.NoError(t, j.InventoryError)
	require.Zero(t, j.Inventory.Len())
	require.False(t, j.Recalled, "the cluster is asked")
	w, ok := f.InventoryWrites("eu-1", true)
	require.True(t, ok)
	require.Len(t, w.Steps[0].Deletes, 4, "the parts that were left are not those of the new Delivery")
}
