package delivery

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// AddTo adds the decisions about the cluster to a part of its bundle, which an index with a sequence has, and the contents of its objects
// to all.
func (l *State) AddTo(part *bundle.Part, sequence uint64, o Orders, e *bundle.Encoder, all bundle.Contents) {
	l.pulled = l.pulled.Next(l.Delivery, sequence)
	part.Delivery, part.DeliveryUID, part.Assignment = l.Delivery.Name, string(l.Delivery.UID), l.pulled.ID
	part.Inventory = l.Inventory()
	e.AddTarget(part, l.Target, all)
	part.Leaving = l.leaving(o)
	for _, kind := range l.Leaving {
		part.LeavingKinds = append(part.LeavingKinds, metav1.GroupVersionKind(kind))
	}
}

// leaving decides about each object on the cluster that is not wanted: the labels of a live object decide which policies hold it.
func (l *State) leaving(o Orders) []bundle.Leaving {
	evicted := map[manifest.ID]bool{}
	for _, id := range o.Evicted(l.Name) {
		evicted[id] = true
	}
	withdraw := o.Withdraw(l.Name)
	decided := map[manifest.ID]bool{}
	var all []bundle.Leaving
	decide := func(id manifest.ID, labels map[string]string) {
		if _, wanted := l.Wants.Get(id); !wanted && !decided[id] {
			decided[id] = true
			all = append(all, bundle.Leaving{Entry: id.Entry(), Stays: withdraw(id, labels), Evicted: evicted[id]})
		}
	}
	for id, labels := range l.Labels() {
		decide(id, labels)
	}
	for _, entry := range l.Inventory() {
		if id, err := manifest.ParseEntry(entry); err == nil {
			decide(id, nil)
		}
	}
	slices.SortFunc(all, bundle.Leaving.Compare)
	return all
}

// Settings returns the settings of a Federation that an executor follows.
func Settings(spec *v1alpha1.FederationSpec, allowPrune, emptyPlan bool) bundle.Settings {
	return bundle.Settings{
		Suspend: spec.Suspend, Prune: spec.Prune, PruneLimits: spec.PruneLimits, MutationPolicy: spec.MutationPolicy,
		AllowPrune: allowPrune, EmptyPlan: emptyPlan,
	}
}

// Federation returns the Federation with the settings that a part has.
func Federation(part *bundle.Part) *v1alpha1.Federation {
	s := part.Settings
	return &v1alpha1.Federation{
		ObjectMeta: metav1.ObjectMeta{Namespace: part.Namespace, Name: part.Name, UID: types.UID(part.UID)},
		Spec:       v1alpha1.FederationSpec{Suspend: s.Suspend, Prune: s.Prune, PruneLimits: s.PruneLimits, MutationPolicy: s.MutationPolicy},
	}
}

// Assigned returns the Delivery to a cluster that a part is about.
func Assigned(part *bundle.Part, cluster string) *v1alpha1.Delivery {
	return &v1alpha1.Delivery{
		ObjectMeta: metav1.ObjectMeta{Namespace: part.Namespace, Name: part.Delivery, UID: types.UID(part.DeliveryUID)},
		Spec:       v1alpha1.DeliverySpec{Federation: part.Name, Cluster: cluster, Revision: part.Revision},
	}
}

// Execute makes the objects of a part of the bundle the wanted ones, at an agent.
func (l *State) Execute(x bundle.Execution, now time.Time) {
	before := l.Part
	l.Delivery, l.Part, l.Assigned, l.Began = Assigned(x.Part, l.Name), x.Part, x.Part.Assignment, now
	l.Leaving = nil
	for _, kind := range x.Part.LeavingKinds {
		l.Leaving = append(l.Leaving, schema.GroupVersionKind(kind))
	}
	if len(l.Inventory()) == 0 {
		l.SetInventory(x.Part.Inventory)
	}
	if !x.Part.SameObjects(before) { // else the delivery under way goes on, and another one follows
		l.Adopt(x.Target)
	}
}

// Awaits returns the time for which a report of an agent waits for the end of the delivery: most reports of an assignment that is not
// finished would be followed by another one at once. A failure is reported without a delay.
func (l *State) Awaits(now time.Time) time.Duration {
	if l.Part == nil || l.Run.Finished || l.Run.Error != "" || l.Run.PruneBlocked != "" {
		return 0
	}
	return max(l.Began.Add(changes.UnfinishedDelay).Sub(now), 0)
}
