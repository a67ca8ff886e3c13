package state

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/inventory"
)

// InventoryWrites returns the writes of the inventory of a cluster. With grow they remove no entry. It returns false if the
// inventory cannot be written: the hub has no Delivery, or a part could not be read.
func (f *Federation) InventoryWrites(cluster string, grow bool) (w inventory.Objects, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || l.Delivery.Generation == 0 || l.Unreadable != nil {
		return w, false
	}
	return l.InventoryWrites(grow, f.besideDelivery(l)), true
}

// besideDelivery returns the metadata of a record that goes with a Delivery, without its name.
func (f *Federation) besideDelivery(l *delivery.State) metav1.ObjectMeta {
	m := f.meta("")
	m.Labels[v1alpha1.ClusterLabel] = l.Name
	m.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Delivery", Name: l.Delivery.Name, UID: l.Delivery.UID}}
	return m
}

// InventoryWritten records that the hub has all writes, or with an error, that it may have some of them.
func (f *Federation) InventoryWritten(cluster string, w inventory.Objects, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.InventoryWritten(w, err)
	}
}

// InventoryChanged records that somebody else changed or deleted a part of an inventory.
func (f *Federation) InventoryChanged(cluster, part string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.DoubtInventory(part)
	}
}

// ReadInventory takes over the records on the hub if the inventory of a cluster could not be read before.
func (f *Federation) ReadInventory(cluster string, hub *delivery.Inherited) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil && l.Unreadable != nil {
		l.Inherit(hub)
	}
}
