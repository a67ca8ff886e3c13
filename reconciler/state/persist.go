package state

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/record"
)

// Unpersisted has the records of the active plan that the hub needs before the first delivery.
type Unpersisted struct {
	// Release reports that a revision begins.
	Release *v1alpha1.Release
	// Puts are records that are new or changed.
	Puts []changes.Record
	// Changed are the objects whose record is new or changed.
	Changed map[manifest.ID]bool

	undecided []manifest.ID // objects that have no record any more
}

// Unpersisted compares the active plan with the records on the hub. carried is the one of Activated: if there
// is a plan before, only the decisions that changed are compared.
//
// Before anything is delivered, the Release reports Progressing and the generation of every FederatedObject that changes
// has moved. Records that cannot claim anything untrue, which are new ones and the specs of Deliveries, do not delay the
// members: they are written while these are delivered.
func (f *Federation) Unpersisted(carried record.Carried) Unpersisted {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := Unpersisted{Release: f.records.release.DeepCopy(), Changed: map[manifest.ID]bool{}}
	var added []*v1alpha1.FederatedObject
	next := f.active.plan.Previous() // for the next plan, in the order of the decisions
	var known bool
	if u.undecided, known = carried.Undecided(); !known {
		u.undecided = f.records.objects.Without(record.Objects(f.active.plan))
	}
	for i, d := range carried.Decisions(f.active.plan) {
		kept := f.records.objects.Of(d.ID)
		if !record.Has(d) || kept != nil && carried.Has(d.ID) {
			continue
		}
		o := f.objectRecord(d, next[i])
		switch {
		case kept == nil && record.DecidesNext(d):
			u.put(o)
		case kept == nil:
			added = append(added, o)
		case f.records.objects.IsDoubtful(d.ID):
			u.put(o)
		case f.records.objects.IsDeferred(d.ID):
			f.records.objects.Defer(o)
			u.Changed[d.ID] = true
		case !equality.Semantic.DeepEqual(kept.Spec, o.Spec) || !equality.Semantic.DeepEqual(kept.OwnerReferences, o.OwnerReferences):
			u.put(o)
		}
	}
	for _, o := range added {
		if len(added) <= changes.BulkSize {
			u.put(o)
			continue
		}
		f.records.objects.Defer(o)
		u.Changed[o.Spec.Template.ID()] = true
	}
	f.unpersistedDeliveries(&u)
	return u
}

func (u *Unpersisted) put(o *v1alpha1.FederatedObject) {
	u.Puts = append(u.Puts, o)
	u.Changed[o.Spec.Template.ID()] = true
}

// unpersistedDeliveries takes over the specs of Deliveries in memory. The specs that the hub has are written later, and
// so are the assignments of other replicas: nothing is delivered before the rest is persisted.
func (f *Federation) unpersistedDeliveries(u *Unpersisted) {
	for _, name := range f.names() {
		l := f.clusters[name]
		if l.Idle() {
			continue
		}
		next := f.newDelivery(name)
		switch known := l.Delivery; {
		case known.Name == "" && !f.registry.Owns(name):
			l.Delivery, l.SpecDirty = next, true
		case known.Name == "":
			l.Delivery.Spec = next.Spec
			u.Puts = append(u.Puts, next)
		case l.SpecDirty, known.Spec != next.Spec, !equality.Semantic.DeepEqual(known.OwnerReferences, next.OwnerReferences):
			l.Assign(next)
		}
	}
}

// RemoveUndecided forgets the FederatedObjects of objects that left Git or lost their policy, and the Deliveries to
// clusters that left the fleet. It returns the records to delete: a forgotten record is not written again.
func (f *Federation) RemoveUndecided(u Unpersisted) []changes.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	var gone []changes.Record
	for _, l := range f.records.removed {
		if l.Delivery.Name != "" {
			gone = append(gone, l.Delivery)
		}
	}
	f.records.removed = nil
	for _, id := range u.undecided {
		if o := f.records.objects.Remove(id); o != nil {
			gone = append(gone, o)
		}
	}
	return gone
}

// NotDeleted takes back a record that could not be deleted, so that the next attempt finds it.
func (f *Federation) NotDeleted(record changes.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch record := record.(type) {
	case *v1alpha1.FederatedObject:
		f.records.objects.Set(record)
	case *v1alpha1.Delivery:
		f.records.removed = append(f.records.removed, delivery.New(record, nil))
	}
}

// Persisted makes the plan deliverable: the hub has its records. u has these records, touched is that of Activated.
func (f *Federation) Persisted(u Unpersisted, touched map[manifest.ID]bool, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active.persisted, f.active.starting = true, false
	c.Evictions = append(c.Evictions, f.key)
	f.bulk.Begin(u.Changed, len(f.clusters), now)
	for name, l := range f.clusters {
		c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: name, Priority: changes.Change})
		if entries, known := f.discovered.Known(name, f.active.plan); known && !f.registry.Owns(name) { // its executor waits for this, and reports nothing new
			l.ReportedInventory = entries
			f.mergeReport(&c, l, now)
		}
	}
	objects := maps.Clone(touched)
	if len(u.Changed) <= changes.BulkSize { // else changed objects are reported once delivered: their generation shows that they are not done
		maps.Copy(objects, u.Changed)
	}
	if !f.bulk.Active {
		for _, id := range f.records.objects.Deferred() {
			objects[id] = true
		}
	}
	maps.Copy(objects, f.records.waiting)
	f.started(&c, objects)
	f.endBulk(&c, now) // at once, if no cluster is reachable
	return c
}

// started updates the statuses that a new plan changes: some objects, all Deliveries, and the Release, which reports already that the
// plan begins. Results that arrive meanwhile are reported at once.
func (f *Federation) started(c *changes.Changes, ids map[manifest.ID]bool) {
	for id := range ids {
		c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Object: id}, Delay: changes.StartDelay})
	}
	for name, l := range f.clusters {
		c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: name}, Delay: changes.StartDelay})
		if !l.SpecDirty {
			continue
		}
		write := changes.Update{Status: changes.Status{Federation: f.key, Cluster: name, Write: true}, Delay: changes.DeliveryDelay(len(f.clusters), f.registry.HasAgent(name))}
		if !f.registry.Owns(name) && (l.Delivery.UID == "" || !f.registry.HasAgent(name)) { // another replica waits for the assignment, or an agent for its first bundle
			write.Delay, write.Immediate = 0, true
		}
		c.Updates = append(c.Updates, write)
	}
	c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key}, Delay: changes.StartDelay})
}

// Put records the answer of the hub to a put.
func (f *Federation) Put(record changes.Record, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch o := record.(type) {
	case *v1alpha1.FederatedObject:
		if kept := f.records.objects.Of(o.Spec.Template.ID()); kept != nil && (kept.UID == "" || kept.UID == o.UID) { // else it was created again
			o.Status = kept.Status
		}
		f.records.objects.Set(o)
	case *v1alpha1.Delivery:
		if l := f.clusters[o.Spec.Cluster]; l != nil && l.Acknowledge(o) {
			delete(f.discovered, l.Name)
			c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: l.Name, Priority: changes.Change})
		}
	case *v1alpha1.Release: // a status is never claimed of a generation that it is not about
		if r := f.records.release; r.Name == o.Name {
			r.Generation, r.UID, r.CreationTimestamp = o.Generation, o.UID, o.CreationTimestamp
			f.computeRelease(now)
		}
	}
	return c
}

// IsDeferred reports whether the hub does not have the record of an object yet.
func (f *Federation) IsDeferred(id manifest.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.records.objects.IsDeferred(id)
}

// ObjectCreated records that the hub has in.Object, which it did not have before. It returns false if the object left Git
// meanwhile: then the record has to be deleted.
func (f *Federation) ObjectCreated(in ObjectStatus) (c changes.Changes, wanted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := in.Object.Spec.Template.ID()
	wanted = f.records.objects.Created(in.decided, in.Object)
	if f.records.objects.IsDeferred(id) || in.Object.Generation != 1 { // the hub had it, and its status is not about this decision
		f.updateObject(&c, id, 0)
	}
	if f.records.objects.Missing() == 0 {
		f.updateRelease(&c, 0)
	}
	return c, wanted
}

// ObjectNotCreated records that a create failed: the hub may have the object.
func (f *Federation) ObjectNotCreated(id manifest.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records.objects.Doubt(id)
}

// DeliveryToWrite returns a copy of a Delivery whose spec the hub does not have yet; nil if it has.
func (f *Federation) DeliveryToWrite(cluster string) *v1alpha1.Delivery {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || !l.SpecDirty || !f.active.persisted {
		return nil
	}
	return l.Delivery.DeepCopy()
}

// Superseded returns the name of the newest Release, and copies of the older ones: those that stay, newest first, and
// those to delete.
func (f *Federation) Superseded() (newest string, stay, expired []v1alpha1.Release) {
	f.mu.Lock()
	defer f.mu.Unlock()
	stay, expired = record.Retain(f.records.release, f.records.older, delivery.Revisions(f.active.revision, f.clusters))
	return f.records.release.Name, stay, expired
}

// Record returns a copy of the record of the same kind and name as like; nil if the hub should not have it, or not yet.
func (f *Federation) Record(like changes.Record) changes.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch like.(type) {
	case *v1alpha1.FederatedObject:
		if o := f.records.objects.Named(like.GetName()); o != nil {
			return o.DeepCopy()
		}
	case *v1alpha1.Delivery:
		for _, l := range f.clusters {
			if l.Delivery.Name == like.GetName() && !l.SpecDirty {
				return l.Delivery.DeepCopy()
			}
		}
	case *v1alpha1.Inventory:
		for _, l := range f.clusters {
			if p := l.InventoryRecord(like.GetName(), f.besideDelivery(l)); p != nil {
				return p
			}
		}
	case *v1alpha1.Release:
		for _, r := range f.releases() {
			if r.Name == like.GetName() {
				return r.DeepCopy()
			}
		}
	}
	return nil
}
