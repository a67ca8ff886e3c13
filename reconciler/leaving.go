package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/store"
)

const (
	// partingLimit is how long a Cluster that is deleted waits at most until it is written down what stays there. After it
	// the Cluster goes, whatever could not be written or read.
	partingLimit = time.Minute
	// partingRetry is how soon writing it down is tried again.
	partingRetry = 2 * time.Second
	// returnPace is between two looks whether a cluster that is back was delivered to. They cost no request.
	returnPace = 2 * time.Second
	// leavers is how many Clusters are seen off at once.
	leavers = 8
)

// errUnopened says that a Federation was not looked at yet in this process.
var errUnopened = errors.New("what it delivered was not read yet")

// leaver sees off the Clusters that are deleted. It asks nothing of the cluster itself, so that one which does not answer
// goes as fast as any other; it needs no plan and no source, so a Federation that is suspended or broken does not keep it.
// Only the replica that leads has one: it is who writes the status of Federations.
type leaver struct {
	client.Client
	engine *engine
}

// watchLeaving looks at a Cluster whenever it changed.
func watchLeaving(mgr manager.Manager, e *engine) error {
	return ctrl.NewControllerManagedBy(mgr).Named("leaving").
		For(&v1alpha1.Cluster{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: leavers, RateLimiter: backoff(), SkipNameValidation: ptr.To(true)}).
		Complete(&leaver{Client: mgr.GetClient(), engine: e})
}

// Reconcile lets a Cluster that is deleted go when every Federation has written down what stays there, and at the latest
// after partingLimit. One that stays keeps the finalizer for as long as it has something.
func (l *leaver) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c := &v1alpha1.Cluster{}
	err := l.Get(ctx, req.NamespacedName, c)
	switch {
	case apierrors.IsNotFound(err): // it had no finalizer, or somebody took it
		return ctrl.Result{}, l.part(ctx, req.Name, nil)
	case err != nil:
		return ctrl.Result{}, err
	case c.DeletionTimestamp == nil:
		return l.stays(ctx, c)
	case !slices.Contains(c.Finalizers, v1alpha1.RecordRemovalFinalizer): // others keep it
		return ctrl.Result{}, nil
	}
	if err := l.part(ctx, c.Name, c); err != nil {
		if left := partingLimit - time.Since(c.DeletionTimestamp.Time); left > 0 {
			l.engine.log.Warn("a Cluster waits until it is written down what stays there", "cluster", c.Name, "error", err)
			return ctrl.Result{RequeueAfter: min(partingRetry, left)}, nil
		}
		l.engine.log.Error("a Cluster goes before it is written down what stays there", "cluster", c.Name, "error", err)
		l.engine.event(c, warning, clusterLeft, fmt.Sprintf("removed although it could not be written down everywhere what stays there: %v", err))
	}
	return ctrl.Result{}, store.RemoveFinalizer(ctx, l.Client, c)
}

// part has every Federation write down what stays on a cluster.
func (l *leaver) part(ctx context.Context, cluster string, c *v1alpha1.Cluster) error {
	feds := &v1alpha1.FederationList{}
	if err := l.List(ctx, feds); err != nil {
		return fmt.Errorf("listing federations: %w", err)
	}
	var errs []error
	for i := range feds.Items {
		fed := &feds.Items[i]
		key := client.ObjectKeyFromObject(fed)
		f := l.engine.federation(key)
		switch {
		case fed.DeletionTimestamp != nil:
		case f == nil || !f.is(fed):
			errs = append(errs, fmt.Errorf("federation %s: %w", key, errUnopened))
		default:
			errs = append(errs, l.engine.part(ctx, f, cluster, c))
		}
	}
	return errors.Join(errs...)
}

// is says whether it is this Federation, and not one of the same name that was there before.
func (f *federation) is(fed *v1alpha1.Federation) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.declaration.UID == fed.UID
}

// stays looks after a Cluster that is not deleted: one that has something needs the finalizer, and one that was away and
// is back is not among those that left any more.
func (l *leaver) stays(ctx context.Context, c *v1alpha1.Cluster) (ctrl.Result, error) {
	var again time.Duration
	var errs []error
	for _, f := range l.engine.all() {
		open, err := l.engine.returned(ctx, f, c.Name)
		if open {
			again = returnPace
		}
		errs = append(errs, err)
		if f.concerns(c.Name) {
			errs = append(errs, store.AddFinalizer(ctx, l.Client, c))
		}
	}
	return ctrl.Result{RequeueAfter: again}, errors.Join(errs...)
}

// putFinalizers has the Clusters that a plan is for wait, from before anything is delivered there, until it is written down what
// they keep. One that was declared a moment ago may not be seen yet: the leaver comes to it.
func (s *syncer) putFinalizers(ctx context.Context, f *federation, plan *propagate.Plan) error {
	list := &v1alpha1.ClusterList{}
	if err := s.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil { // it is only read
		return fmt.Errorf("listing clusters: %w", err)
	}
	used := f.used(plan)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(ledgerWriters)
	for i := range list.Items {
		if c := &list.Items[i]; used[c.Name] {
			g.Go(func() error { return store.AddFinalizer(ctx, s.Client, c) })
		}
	}
	return g.Wait()
}

// used are the clusters of a plan that have something of the federation, or get something.
func (f *federation) used(plan *propagate.Plan) map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	used := map[string]bool{}
	for _, c := range plan.Clusters() {
		used[c] = !f.untouched(c, plan)
	}
	return used
}

// staying are the clusters without those that are being deleted: those have left the fleet, and hands are off them.
func staying(members []v1alpha1.Cluster) []v1alpha1.Cluster {
	return slices.DeleteFunc(members, func(c v1alpha1.Cluster) bool { return c.DeletionTimestamp != nil })
}

// missing says that a cluster which Git declares is not in the fleet: it is being deleted on the hub, and is declared again
// when it is gone.
func missing(declared, members []v1alpha1.Cluster) bool {
	return slices.ContainsFunc(declared, func(d v1alpha1.Cluster) bool {
		return !slices.ContainsFunc(members, func(m v1alpha1.Cluster) bool { return m.Name == d.Name })
	})
}
