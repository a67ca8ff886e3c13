package member

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/store"
)

const (
	// removalLimit bounds the time that a deleted Cluster is kept until every Federation lists the objects that stay there.
	// After it the Cluster goes, even if a list could not be written or read.
	removalLimit = time.Minute
	// removalRetry is the time until a failed list is written again.
	removalRetry = 2 * time.Second
	// returnInterval is the time between two checks whether a returned cluster was delivered. A check sends no request.
	returnInterval = 2 * time.Second
)

// errNotOpen is the error of a Federation that was not reconciled in this process.
var errNotOpen = errors.New("its records were not read yet")

// RemovalWorkers bounds the deleted Clusters that are handled at once.
const RemovalWorkers = 8

// Remover handles Clusters that are deleted. It sends no request to the cluster itself, so one that does not answer goes
// as fast as any other; it needs no plan and no source, so a suspended or broken Federation does not keep it. Only the
// leader has a Remover: the leader writes the status of Federations.
type Remover struct {
	client.Client
	Registry *state.Registry
	Reporter *report.Reporter
	Emit     func(changes.Event)
	Log      *slog.Logger
}

// Reconcile releases a deleted Cluster when every Federation lists the objects that stay there, and at the latest after removalLimit.
// A Cluster that is not deleted keeps the finalizer for as long as it has objects.
func (r *Remover) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	c := &v1alpha1.Cluster{}
	err := r.Get(ctx, req.NamespacedName, c)
	switch {
	case apierrors.IsNotFound(err): // it had no finalizer, or somebody took it
		return reconcile.Result{}, r.part(ctx, req.Name, nil)
	case err != nil:
		return reconcile.Result{}, err
	case c.DeletionTimestamp == nil:
		return r.keep(ctx, c)
	case !slices.Contains(c.Finalizers, v1alpha1.RecordRemovalFinalizer): // others keep it
		return reconcile.Result{}, nil
	}
	if err := r.part(ctx, c.Name, c); err != nil {
		if remaining := removalLimit - time.Since(c.DeletionTimestamp.Time); remaining > 0 {
			r.Log.Warn("a Cluster waits until every Federation lists the objects that stay there", "cluster", c.Name, "error", err)
			return reconcile.Result{RequeueAfter: min(removalRetry, remaining)}, nil
		}
		r.Log.Error("a Cluster is removed before every Federation lists the objects that stay there", "cluster", c.Name, "error", err)
		r.Emit(changes.Event{About: c, Type: changes.Warning, Reason: report.ClusterRemoved, Message: fmt.Sprintf(
			"removed before every Federation could list the objects that stay there: %v", err)})
	}
	return reconcile.Result{}, store.RemoveFinalizer(ctx, r.Client, c)
}

// part has every Federation list the objects that stay on a cluster.
func (r *Remover) part(ctx context.Context, cluster string, c *v1alpha1.Cluster) error {
	feds := &v1alpha1.FederationList{}
	if err := r.List(ctx, feds); err != nil {
		return fmt.Errorf("listing federations: %w", err)
	}
	var errs []error
	for i := range feds.Items {
		fed := &feds.Items[i]
		key := client.ObjectKeyFromObject(fed)
		f := r.Registry.Federation(key)
		switch {
		case fed.DeletionTimestamp != nil:
		case f == nil || !f.Is(fed):
			errs = append(errs, fmt.Errorf("federation %s: %w", key, errNotOpen))
		default:
			errs = append(errs, r.Reporter.Part(ctx, f, f.Part(cluster, c)))
		}
	}
	return errors.Join(errs...)
}

// keep handles a Cluster that is not deleted: one with objects needs the finalizer, and one that is back is not among the
// removed clusters any more.
func (r *Remover) keep(ctx context.Context, c *v1alpha1.Cluster) (reconcile.Result, error) {
	var again time.Duration
	var errs []error
	for _, f := range r.Registry.Federations() {
		waits, err := r.Reporter.Returned(ctx, f, c.Name)
		if waits {
			again = returnInterval
		}
		errs = append(errs, err)
		if f.Concerns(c.Name) {
			errs = append(errs, store.AddFinalizer(ctx, r.Client, c))
		}
	}
	return reconcile.Result{RequeueAfter: again}, errors.Join(errs...)
}
