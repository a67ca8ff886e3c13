package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/status"
)

// errUnplanned ends the delivery of a plan that was made without the inventory of the cluster.
var errUnplanned = errors.New("the cluster has objects of the Federation that the hub has no record of; accord plans again with them")

// deliver brings one Federation to the cluster as far as possible now. It returns false to be tried again.
func (w *Worker) deliver(ctx context.Context, key types.NamespacedName) (done bool) {
	f := w.pool.registry.Federation(key)
	if f == nil || !w.admitsRequests() {
		return true // it is queued again when the cluster becomes reachable
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j, ok := f.Begin(w.Name(), cancel)
	if !ok {
		return true
	}
	x := w.watch(f)
	if x == nil {
		return true // it was deleted meanwhile
	}
	if err := w.observe(ctx, f, &j, x); err != nil {
		return w.conclude(ctx, f, j, live.Outcome{}, err)
	}
	if j.Spec.Suspend {
		return true // it is only observed
	}
	account, err := w.pool.account(ctx, key)
	if err != nil {
		return w.conclude(ctx, f, j, live.Outcome{}, fmt.Errorf("nothing is written: %w", err))
	}
	if err := w.pool.reporter.WriteAssignment(ctx, f, w.Name()); err != nil {
		return w.conclude(ctx, f, j, live.Outcome{}, fmt.Errorf("nothing is written: %w", err))
	}
	observed, difference, spare := f.Live(j, time.Now())
	place := w.pool.crowd.join()
	defer place.leave()
	outcome, err := apply.Deliver(ctx, w.member, j.Federation, j.Target, observed, j.Inventory, apply.Options{
		Difference: difference, Account: account, Prune: j.Spec.Prune, PruneLimits: j.Spec.PruneLimits, AllowPrune: j.AllowPrune, EmptyPlan: j.EmptyPlan(), Known: j.Book.Of, Book: j.Book,
		Urgent: j.First, Evicted: j.Evicted(w.Name()), Withdraw: j.Withdraw(w.Name()), SkipRepair: spare, Workers: place.share, Yield: w.pool.planning(key).yield,
		Record: func(ctx context.Context, inventory []string) error {
			f.RecordInventory(j, inventory)
			return w.pool.reporter.RecordInventory(ctx, f, w.Name())
		},
	})
	return w.conclude(ctx, f, j, outcome, err)
}

// observe waits until the watches have listed all kinds that are wanted or were delivered. It fails if the inventory cannot be
// read, and reads it again for the next attempt.
func (w *Worker) observe(ctx context.Context, f *state.Federation, j *delivery.Job, x *watch.Watcher) error {
	if j.InventoryError == nil { // else the objects are only observed
		if err := w.recall(ctx, f, j); err != nil {
			return err
		}
	}
	kinds := j.Kinds()
	x.SetKinds(kinds)
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	if err := x.WaitForSync(ctx); err != nil {
		return fmt.Errorf("listing the objects on the cluster: %w", err)
	}
	w.pool.Enqueue(f.Listed(*j, kinds))
	if j.InventoryError != nil {
		return errors.Join(j.InventoryError, w.pool.reporter.ReadInventory(ctx, f, w.Name()))
	}
	return nil
}

// recall asks the cluster for objects without a record: the cluster is new, or the hub lost its data. A plan that was made
// without them is not delivered.
func (w *Worker) recall(ctx context.Context, f *state.Federation, j *delivery.Job) error {
	if j.Inventory.Len() > 0 || j.Recalled {
		return nil
	}
	objects, err := Discover(ctx, f, w.member)
	if err != nil {
		return err
	}
	if j.Inventory, err = live.ParseInventory(live.Entries(objects)); err != nil {
		return err
	}
	if !f.AcceptDiscovered(*j) {
		w.pool.Enqueue(changes.Changes{Replan: []types.NamespacedName{f.Key()}})
		return errUnplanned
	}
	return nil
}

// Discover asks a cluster once which objects of a Federation it has.
func Discover(ctx context.Context, f *state.Federation, m *clusters.Member) ([]live.Discovered, error) {
	if objects, known := f.Discovered(m.Name); known {
		return objects, nil
	}
	objects, err := apply.Discover(ctx, m, f.Key().String())
	if err == nil {
		f.Discover(m.Name, objects)
	}
	return objects, err
}

// conclude records the result of a delivery. It returns false to be tried again.
func (w *Worker) conclude(ctx context.Context, f *state.Federation, j delivery.Job, o live.Outcome, err error) (done bool) {
	cancelled := ctx.Err() != nil
	down := err != nil && clusters.Down(err)
	r := delivery.Result{
		Failure: failure(o, err), Down: down, Cancelled: cancelled, Errors: map[manifest.ID]string{}, Answers: o.Answers, Drift: o.Drift,
		Spared: o.NotRepaired, Recreated: o.Recreated, Pruned: o.Pruned, Orphaned: o.Orphaned, PruneBlock: o.PruneBlocked, Inventory: o.Inventory,
	}
	if err != nil {
		r.Error = err.Error()
	}
	for id, failed := range o.Errors {
		r.Errors[id] = failed.Error()
		r.Terminal = r.Terminal || !problem(failed).Retry
	}
	w.pool.Enqueue(f.Conclude(j, r, time.Now()))
	switch {
	case cancelled:
		return true
	case down && w.Breaker().Cause == nil:
		return false // only this one request failed
	case down:
		w.lose(err)
		return true
	}
	return err == nil && len(o.Errors) == 0
}

// problem returns the problem of one object.
func problem(err error) *live.Problem {
	if p, ok := errors.AsType[*live.Problem](err); ok {
		return p
	}
	return &live.Problem{Reason: live.Failed, Retry: true, Err: err}
}

// failure returns why a delivery did not succeed, in one word; empty if it did.
func failure(o live.Outcome, err error) string {
	switch {
	case err != nil:
		return clusterFailure(err)
	case len(o.Errors) > 0:
		return mostFrequent(o.Errors)
	case o.PruneBlocked != "":
		return status.PruneBlocked
	}
	return ""
}

// clusterFailure returns why a delivery failed as a whole.
func clusterFailure(err error) string {
	if reason := clusters.Reason(err); reason != clusters.Unreachable || clusters.Down(err) {
		return reason
	}
	return status.ReconciliationFailed
}

// mostFrequent returns the reason of most of the errors; of several, the first by name.
func mostFrequent(errs map[manifest.ID]error) string {
	counts := map[string]int{}
	for _, err := range errs {
		counts[problem(err).Reason]++
	}
	return slices.MinFunc(slices.Collect(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
