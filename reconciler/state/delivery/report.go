package delivery

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
	"github.com/accord-dev/accord/reconciler/state/deliveryreport"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// Ingest takes over the live objects of a report. It returns those that changed.
func (l *State) Ingest(r *v1alpha1.DeliveryReport) map[manifest.ID]bool {
	kept := *r
	kept.Status.Objects = map[string]v1alpha1.ReportedObject{}
	touched := map[manifest.ID]bool{}
	there := make(map[manifest.ID]bool, len(r.Status.Objects))
	for entry, o := range r.Status.Objects {
		id, err := manifest.ParseEntry(entry)
		if err != nil {
			continue // of another version of accord
		}
		there[id] = true
		if id.IsSecret() {
			kept.Status.Objects[entry] = o
		}
		if l.ingestObject(id, o) {
			touched[id] = true
		}
	}
	for id := range l.Live.All() {
		if !there[id] {
			l.Forget(id)
			delete(l.GateStatus, id)
			touched[id] = true
		}
	}
	l.Report = &kept
	if !l.isCurrent(r) { // otherwise mergeReport takes over the inventory as it is
		l.InheritInventory(r.Status.ApplyResult.Inventory)
	}
	return touched
}

// appliedElsewhere stands for the fields that the executor of a cluster applied. A report does not have them: only the executor compares
// them.
var appliedElsewhere = ownership.Hash{1}

// ingestObject takes over one live object, and reports whether it changed. A report has no digest of a Secret: the known
// digest stays.
func (l *State) ingestObject(id manifest.ID, o v1alpha1.ReportedObject) (changed bool) {
	digest := o.Digest
	if id.IsSecret() {
		before, _ := l.Live.Get(id)
		digest = before.Digest
	}
	seen := live.Object{
		GVK: schema.GroupVersionKind{Group: id.Group, Version: o.Version, Kind: id.Kind}, Digest: digest,
		Labels: o.Labels, Preserve: o.Preserve, Adopted: o.Adopted,
	}
	if !o.Foreign {
		seen.Fields = appliedElsewhere
	}
	report := status.Report{
		Digest: digest, Generation: o.Generation, ObservedGeneration: o.ObservedGeneration, Observes: o.Observes,
		Health: kind.Health(o.Health), Message: o.Message, Unschedulable: o.Unschedulable, Status: status.Reflect(deliveryreport.MapOf(o.Status)),
	}
	before, known := l.Reports.Get(id)
	changed = !known || o.Answers != nil || before != report || !slices.Equal(l.Mutated[id], o.Mutated)
	l.setLive(id, seen, report)
	l.setMutated(id, o.Mutated)
	l.SetGateStatus(id, deliveryreport.MapOf(o.Answers))
	return changed
}

// Merge takes over the result of the current assignment. It returns the objects that changed.
func (l *State) Merge() map[manifest.ID]bool {
	touched := map[manifest.ID]bool{}
	for entry, o := range l.Report.Status.Objects {
		id, _ := manifest.ParseEntry(entry) // ingest parsed it before
		digest := ""
		if o.Digest == v1alpha1.DigestWanted {
			digest = l.Wants.Of(id).Digest
		}
		if seen, _ := l.Live.Get(id); seen.Digest != digest {
			report, _ := l.Reports.Get(id)
			seen.Digest, report.Digest = digest, digest
			l.setLive(id, seen, report)
			touched[id] = true
		}
	}
	run := l.Report.Status.ApplyResult
	errors := map[manifest.ID]string{}
	for entry, message := range run.Errors {
		if id, err := manifest.ParseEntry(entry); err == nil {
			errors[id] = message
		}
	}
	for id, message := range errors {
		if l.Errors[id] != message {
			touched[id] = true
		}
	}
	for id := range l.Errors {
		if _, still := errors[id]; !still {
			touched[id] = true
		}
	}
	l.Errors = errors
	for id := range touched {
		l.touch(id)
	}
	l.Run = status.Run{
		Started: run.Started, Finished: run.Finished, Error: run.Error, PruneBlocked: run.PruneBlocked,
		Drift: run.Drift, Contended: run.ContendedObjects, Orphaned: orEmpty(run.Orphaned), Deletions: run.PendingDeletions,
	}
	l.SetInventory(run.Inventory)
	if l.ReportedInventory != nil {
		l.SetInventory(l.ReportedInventory)
	}
	l.Unreadable = nil // the replica knows the whole inventory: otherwise it would have no assignment
	l.Terminal = run.Terminal
	return touched
}

// DeliveryReport returns the DeliveryReport of the cluster, without the fields that the Federation and the replica add. metadata
// is that of a record that goes with the Delivery, without its name.
func (l *State) DeliveryReport(metadata metav1.ObjectMeta) *v1alpha1.DeliveryReport {
	metadata.Name = l.Delivery.Name
	return &v1alpha1.DeliveryReport{
		ObjectMeta: metadata, Spec: v1alpha1.DeliveryReportSpec{Federation: l.Delivery.Spec.Federation, Cluster: l.Name}, Status: l.reportStatus(),
	}
}

func (l *State) reportStatus() v1alpha1.DeliveryReportStatus {
	s := v1alpha1.DeliveryReportStatus{
		ObservedDelivery: l.Assigned, Synced: l.Listed, Objects: map[string]v1alpha1.ReportedObject{},
		ApplyResult: v1alpha1.ApplyResult{
			Started: l.Run.Started, Finished: l.Run.Finished, Terminal: l.Terminal, Error: l.Run.Error, PruneBlocked: l.Run.PruneBlocked,
			Drift: l.Run.Drift, ContendedObjects: l.Run.Contended, Inventory: l.Inventory(), Orphaned: l.Run.Orphaned, PendingDeletions: l.Deletions(),
		},
	}
	for id, err := range l.Errors {
		if s.ApplyResult.Errors == nil {
			s.ApplyResult.Errors = map[string]string{}
		}
		s.ApplyResult.Errors[id.Entry()] = err
	}
	for id, seen := range l.Live.All() {
		report, _ := l.Reports.Get(id) // recorded together with the object
		s.Objects[id.Entry()] = deliveryreport.ReportedObject(id, l.Wants.Of(id), seen, report, l.GateStatus[id], l.MutatedIn(id))
	}
	return s
}
