package delivery

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/inventory"
	"github.com/accord-dev/accord/status"
)

// ownedObjects is the inventory of the cluster.
type ownedObjects struct {
	// entries are the objects as they were recorded last, by this process or by the one before, sorted.
	entries []string
	// recorded is the inventory on the hub. The leader writes it.
	recorded inventory.Recorded
	// Unreadable is the error of an inventory that could not be read completely: nothing is delivered. Then entries are those
	// that could be read.
	Unreadable error
}

// Inventory returns the inventory as it was recorded last: by this process, or by the one before.
func (l *State) Inventory() []string { return l.entries }

// SetInventory replaces the inventory. The caller must not change entries afterwards.
func (l *State) SetInventory(entries []string) {
	if !slices.Equal(l.entries, entries) { // else the same list as on the hub stays, which is compared fast
		l.entries = inventory.Sorted(entries)
	}
}

// InheritInventory adds entries that a replica recorded, or that were discovered on the cluster.
func (l *State) InheritInventory(entries []string) {
	l.SetInventory(inventory.Union(l.entries, inventory.Sorted(entries)))
}

// Unasked reports whether a cluster of another process has to be asked which objects it has: there is no record of any, and its executor has
// not reported. A nil State has none.
func (l *State) Unasked() bool {
	return l == nil || l.Idle() && l.Report == nil && !l.Recalled
}

// Recall makes the objects that the cluster of another process was asked for the inventory, once the plan knows them: its executor gets
// them, and removes those that the plan does not want. It does nothing before.
func (l *State) Recall(entries []string, planned bool) {
	if !planned {
		return
	}
	l.Recalled = true
	if len(l.entries) == 0 && len(entries) > 0 {
		l.ReportedInventory = entries
		l.SetInventory(entries)
	}
}

// CountReported has the Delivery count the discovered objects with which the plan was made: the executor of the cluster waits for the count
// before it lists the cluster. It reports whether that changes the Delivery.
func (l *State) CountReported() bool {
	if l.ReportedInventory == nil || int(l.Delivery.Status.InventoryCount) == len(l.entries) {
		return false
	}
	l.Delivery.Status.InventoryCount, l.StatusDirty = int32(len(l.entries)), true
	return true
}

// InheritInventories adds the entries that replicas reported to the inventories of their clusters.
func InheritInventories(clusters map[string]*State, reports []v1alpha1.DeliveryReport) {
	for i := range reports {
		if l := clusters[reports[i].Spec.Cluster]; l != nil {
			l.InheritInventory(reports[i].Status.ApplyResult.Inventory)
		}
	}
}

// Inherited has the records about the inventories of a Federation, as they were read from the hub at one time.
type Inherited struct {
	deliveries  map[string]*v1alpha1.Delivery
	inventories map[string][]*v1alpha1.Inventory
	reported    map[string][]string
}

// NewInherited groups records by their clusters.
func NewInherited(deliveries []v1alpha1.Delivery, inventories []v1alpha1.Inventory, reports []v1alpha1.DeliveryReport) *Inherited {
	x := &Inherited{map[string]*v1alpha1.Delivery{}, map[string][]*v1alpha1.Inventory{}, map[string][]string{}}
	for i := range deliveries {
		x.deliveries[deliveries[i].Spec.Cluster] = &deliveries[i]
	}
	for i := range inventories {
		cluster := inventories[i].Labels[v1alpha1.ClusterLabel]
		x.inventories[cluster] = append(x.inventories[cluster], &inventories[i])
	}
	for i := range reports {
		x.reported[reports[i].Spec.Cluster] = reports[i].Status.ApplyResult.Inventory
	}
	return x
}

// Inherit takes over the inventory that the process before this one, or another replica, recorded. Nil has no records.
func (l *State) Inherit(hub *Inherited) {
	if hub == nil {
		hub = &Inherited{}
	}
	d := cmp.Or(hub.deliveries[l.Name], l.Delivery)
	l.recorded, l.Unreadable = inventory.Read(d, hub.inventories[l.Name])
	l.SetInventory(l.recorded.Entries())
	if len(l.entries) > int(d.Status.InventoryCount) { // the process before ended in a delivery
		l.Absences.Recorded = true
	}
	l.InheritInventory(hub.reported[l.Name])
}

// Recreated records that the hub has another Delivery than before, because somebody deleted it. The parts of the inventory get
// the new owner. An inventory that could not be read is dropped: the cluster is asked for its objects. It reports whether that is so.
func (l *State) Recreated() (dropped bool) {
	l.recorded = l.recorded.DoubtAll()
	if l.Unreadable == nil {
		return false
	}
	l.recorded, l.entries, l.Unreadable, l.Recalled = l.recorded.WithoutEntries(), nil, nil, false
	l.Delivery.Status.InventoryCount = 0
	return true
}

// InventoryIsRecorded reports whether the hub has the inventory, or has to keep one that cannot be read.
func (l *State) InventoryIsRecorded() bool { return l.Unreadable != nil || l.recorded.Has(l.entries) }

// InventoryWrites returns the writes of the inventory. With grow, the hub has every entry afterwards and may have more. Without,
// the hub has exactly the entries; an entry is removed only if the Delivery on the hub does not count more objects.
func (l *State) InventoryWrites(grow bool, metadata metav1.ObjectMeta) inventory.Objects {
	entries := l.entries
	if grow || l.StatusDirty || int(l.Delivery.Status.InventoryCount) > len(entries) {
		entries = inventory.Union(l.recorded.Entries(), entries)
	}
	return l.recorded.Objects(entries, l.Delivery, metadata)
}

// InventoryWritten records that the hub has the writes, or may have some of them if err is set.
func (l *State) InventoryWritten(o inventory.Objects, err error) {
	l.recorded = l.recorded.After(o, err)
}

// InventoryRecord returns a part of the inventory as the hub should have it; nil if the hub should not have it.
func (l *State) InventoryRecord(name string, metadata metav1.ObjectMeta) *v1alpha1.Inventory {
	if l.Unreadable != nil {
		return nil
	}
	return l.recorded.Object(name, l.Delivery, metadata)
}

// DoubtInventory has a part of the inventory written again.
func (l *State) DoubtInventory(name string) { l.recorded = l.recorded.Doubt(inventory.SuffixOf(name)) }

// Removal returns the removal of the cluster from the fleet, with the objects that stay there.
func (l *State) Removal() status.Removal {
	s := l.Delivery.Status
	return status.Removal{
		Cluster: l.Name, Inventory: l.entries, LastProbeTime: s.LastProbeTime, Reachable: meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Reachable),
	}
}

// Shared returns the inventory of another cluster if it is the same. Nobody changes an inventory in place.
func Shared(clusters map[string]*State, entries []string) []string {
	for _, l := range clusters {
		if len(l.entries) > 0 && slices.Equal(l.entries, entries) {
			return l.entries
		}
	}
	return entries
}

// ParsedInventory is the inventory that was parsed last.
type ParsedInventory struct{ last *live.Inventory }

// Parse parses the entries of an inventory. Most clusters have the same inventory, which is parsed once.
func (p *ParsedInventory) Parse(entries []string) (*live.Inventory, error) {
	if len(entries) > 0 && slices.Equal(p.last.Entries(), entries) {
		return p.last, nil
	}
	read, err := live.ParseInventory(entries)
	if err == nil {
		p.last = read
	}
	return read, err
}
