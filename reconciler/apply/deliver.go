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
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// defaultWorkers is how many requests a delivery has under way at once.
const defaultWorkers = 8

// Options say how a delivery is done.
type Options struct {
	// Prune deletes what is ours and no longer wanted. Without it such objects stay and are Orphaned.
	Prune bool
	// PruneLimits bounds what may be pruned; AllowPrune lifts it (the commit has the trailer "Accord-Prune: allow").
	PruneLimits v1alpha1.PruneLimits
	AllowPrune  bool
	// EmptyPlan says that the plan has nothing for any cluster: then nothing is pruned unless AllowPrune.
	EmptyPlan bool
	// Withdraw says why an object that is not wanted any more must stay as it is; empty when it may go.
	// Nil: everything may.
	Withdraw func(id manifest.ID, labels map[string]string) string
	// Known is what is known about a kind, for what held objects need. Nil: interpret.Of.
	Known func(schema.GroupKind) kind.Kind
	// Book has the scripts by which users retain what is live. Nil: there are none.
	Book *interpret.Book
	// Record stores the inventory durably. It is called with the union of old and new before the first apply, if
	// anything is new. Nil: it is stored on the member only.
	Record func(ctx context.Context, inventory []string) error
	// Urgent are the objects that a person changed just now, while there is more to do: they are not to wait for it.
	Urgent map[manifest.ID]bool
	// Yield is called before each object that is not among First, and returns when there is nothing more urgent. Nil: there
	// never is.
	Yield func(ctx context.Context)
	// SkipRepair are objects that are not repaired now, because somebody else changes them again and again. What is to be
	// changed in them because Git changed is changed all the same.
	SkipRepair map[manifest.ID]bool
	// Workers is how many requests may be under way at once; 0: 8.
	Workers int
	// Timeout of each request; 0: clusters.RequestTimeout.
	Timeout time.Duration
}

// Deliver makes one cluster have what want says of one federation ("<namespace>/<name>").
//
// live is what is known to be ours there, and is not changed; previous is the inventory of the last delivery. Objects that are as they should be
// cost nothing; if all are, no request is sent. An object that fails does not stop the others: see Outcome.Errors.
// The error is about the cluster as a whole (it does not answer, it does not accept our credentials) or ctx's own.
func Deliver(ctx context.Context, m *clusters.Member, federation string, want propagate.ClusterPlan, live *live.Objects, previous *live.Inventory, o Options) (live.Outcome, error) {
	d := newDelivery(m, federation, want, live, previous, o)
	err := d.run(ctx)
	err = errors.Join(err, d.finish(ctx, err))
	d.outcome.Requests = int(d.requests.Load())
	return d.outcome, err
}

// run is the whole of a delivery, one line a step.
func (d *delivery) run(ctx context.Context) error {
	if err := d.loadInventory(ctx); err != nil {
		return err
	}
	d.compare()
	if err := d.applyUrgent(ctx); err != nil {
		return err
	}
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
