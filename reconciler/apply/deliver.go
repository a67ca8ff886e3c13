package apply

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// MostWorkers is the greatest number of concurrent requests of a delivery.
const MostWorkers = 8

// Options configure a delivery.
type Options struct {
	// Difference is that of the observed objects from the plan. Nil: Deliver compares all objects.
	Difference *live.Difference
	// Account reads and writes the objects. The inventory is always written with accord's own account.
	Account tenancy.Account
	// Prune deletes owned objects that the plan no longer has. Without it they stay and are Orphaned.
	Prune bool
	// Release has what Prune would delete stay, without the marks of accord.
	Release bool
	// PruneLimits bound the number of deletions; AllowPrune lifts them (the commit has the trailer "Accord-Prune:
	// allow").
	PruneLimits v1alpha1.PruneLimits
	AllowPrune  bool
	// EmptyPlan is set if the plan places nothing on any cluster: without AllowPrune nothing is deleted then.
	EmptyPlan bool
	// Withdraw returns why an object that the plan no longer has must stay, or "" if it may be removed. Nil: all
	// may.
	Withdraw func(id manifest.ID, labels map[string]string) string
	// Known returns the Kind, whose dependencies protect objects that held objects need. Nil: interpret.Of.
	Known func(schema.GroupKind) kind.Kind
	// Book has the users' scripts that retain live fields. Nil: none.
	Book *interpret.Book
	// Record stores the inventory durably. Deliver calls it with the union of the old and the new inventory before
	// the first apply, if an object is new. Nil: only the member stores it.
	Record func(ctx context.Context, inventory []string) error
	// Evicted are objects that the plan no longer has because their clusters were evicted. Deliver deletes them before it applies
	// anything, whatever Prune and PruneLimits are.
	Evicted []manifest.ID
	// Urgent are the objects that were just changed in Git during a larger delivery. They are applied first.
	Urgent map[manifest.ID]bool
	// Yield is called before each object that is not Urgent, and blocks while there is more urgent work. It is not called in a small
	// delivery. Nil: it never blocks.
	Yield func(ctx context.Context)
	// SkipRepair are contended objects that are not repaired now. A change in Git is applied to them all the same.
	SkipRepair map[manifest.ID]bool
	// Workers returns the number of concurrent requests that there may be now, at least one; nil: always MostWorkers.
	Workers func() int
	// Timeout of each request; 0: clusters.RequestTimeout.
	Timeout time.Duration
}

// Deliver applies want, the plan of one Federation ("<namespace>/<name>"), to one cluster.
//
// observed has the owned objects and is not changed; previous is the inventory of the last delivery. An object that
// is as planned costs no request; if all are, Deliver sends none. A failed object does not stop the others: see
// Outcome.Errors. The returned error is about the whole cluster (unreachable, credentials rejected), or ctx's own.
func Deliver(ctx context.Context, m *clusters.Member, federation string, want propagate.ClusterPlan, observed *live.Objects, previous *live.Inventory, o Options) (live.Outcome, error) {
	d, err := newDelivery(m, federation, want, observed, previous, o)
	if err != nil {
		return live.Outcome{}, err
	}
	err = d.run(ctx)
	err = errors.Join(err, d.finish(ctx, err))
	d.outcome.Requests = int(d.requests.Load())
	return d.outcome, err
}

// run performs the steps of a delivery.
func (d *delivery) run(ctx context.Context) error {
	if err := d.loadInventory(ctx); err != nil {
		return err
	}
	d.differ()
	if err := d.purgeEvicted(ctx); err != nil {
		return err
	}
	if err := d.applyUrgent(ctx); err != nil {
		return err
	}
	d.compare()
	if err := d.checkExisting(ctx); err != nil {
		return err
	}
	if err := d.recordInventory(ctx); err != nil {
		return err
	}
	if err := d.applyAll(ctx); err != nil {
		return err
	}
	return d.prune(ctx)
}
