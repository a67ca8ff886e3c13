package replica

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/deliveryreport"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// Start reconciles the assignments of a Federation when one of a cluster that this replica owns changed, when the
// Federation did, when clusters were handedOver, and when the Federation has to be planned again: the leader may have made the plan already.
func (l *Follower) Start(mgr manager.Manager, o controller.Options, handedOver, replans ctrlsource.Source) error {
	about := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []reconcile.Request {
		d, ok := obj.(*v1alpha1.Delivery)
		if !ok {
			return nil
		}
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: d.Namespace, Name: d.Spec.Federation}}}
	})
	mine := predicate.NewPredicateFuncs(func(obj client.Object) bool {
		d, ok := obj.(*v1alpha1.Delivery)
		return ok && l.Registry.Follower() && l.Registry.Owns(d.Spec.Cluster)
	})
	o.NeedLeaderElection = ptr.To(false)
	return ctrl.NewControllerManagedBy(mgr).Named("assignments").
		For(&v1alpha1.Federation{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.Delivery{}, about, builder.WithPredicates(mine, assignmentChanged())).
		WatchesRawSource(handedOver).
		WatchesRawSource(replans).
		WithOptions(o).
		Complete(l)
}

// assignmentChanged lets new assignments pass: most writes of a Delivery report the result of the last one.
func assignmentChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, was := e.ObjectOld.(*v1alpha1.Delivery)
		after, is := e.ObjectNew.(*v1alpha1.Delivery)
		return !was || !is || deliveryreport.AssignmentID(before) != deliveryreport.AssignmentID(after) ||
			(before.Status.InventoryCount == 0) != (after.Status.InventoryCount == 0)
	}}
}

// AssignmentOnly reduces a Delivery in the cache to the fields that a follower reads.
func AssignmentOnly(obj any) (any, error) {
	if d, ok := obj.(*v1alpha1.Delivery); ok {
		d.ManagedFields = nil
		d.Status = v1alpha1.DeliveryStatus{InventoryCount: d.Status.InventoryCount, Rollouts: d.Status.Rollouts}
	}
	return obj, nil
}

// AddReports has the manager ingest the reports of other replicas and of agents while it leads. It calls begin before the first one.
func AddReports(mgr manager.Manager, pool *deliver.Pool, begin func()) error {
	hub, err := client.NewWithWatch(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme()})
	if err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		begin()
		watchReports(ctx, hub, pool)
		return nil
	}))
}

// watchReports ingests the reports of other replicas until ctx ends. It keeps only the part of a report
// that the status shows.
func watchReports(ctx context.Context, hub client.WithWatch, pool *deliver.Pool) {
	source := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list := &v1alpha1.DeliveryReportList{}
			return list, hub.List(ctx, list, &client.ListOptions{Raw: &o})
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return hub.Watch(ctx, &v1alpha1.DeliveryReportList{}, &client.ListOptions{Raw: &o})
		},
	}
	toolscache.NewReflectorWithOptions(source, &v1alpha1.DeliveryReport{}, reportSink{pool}, toolscache.ReflectorOptions{Name: "reports"}).RunWithContext(ctx)
}

// reportSink is the store of a reflector that ingests reports and keeps none.
type reportSink struct{ pool *deliver.Pool }

// Add ingests a report.
func (s reportSink) Add(obj any) error {
	if r, ok := obj.(*v1alpha1.DeliveryReport); ok {
		s.pool.Ingest(r)
	}
	return nil
}

// Update ingests a report.
func (s reportSink) Update(obj any) error { return s.Add(obj) }

// Delete does nothing: the last report stays valid until the replica that owns the cluster reports again.
func (s reportSink) Delete(any) error { return nil }

// Replace ingests all reports.
func (s reportSink) Replace(all []any, _ string) error {
	for _, obj := range all {
		_ = s.Add(obj) // never fails
	}
	return nil
}

// Resync does nothing.
func (s reportSink) Resync() error { return nil }

// WatchProbes records the status of every Cluster as its owner writes it, which is all that is known of a cluster on which
// nothing was delivered. While this replica leads, the inquirer asks the clusters that answered.
func WatchProbes(mgr manager.Manager, registry *state.Registry, inquirer *Inquirer, o controller.Options) error {
	o.NeedLeaderElection = ptr.To(false)
	hub := mgr.GetClient()
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { inquirer.Run(ctx); return nil })); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("probes").For(&v1alpha1.Cluster{}).WithOptions(o).
		Complete(reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			c := &v1alpha1.Cluster{}
			if err := hub.Get(ctx, types.NamespacedName{Name: req.Name}, c); err != nil {
				registry.RecordProbe(req.Name, reachability.Probe{})
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			last := reachability.ProbeOf(c)
			registry.RecordProbe(c.Name, last)
			if last.Known && last.Failure == "" {
				inquirer.Answers(c.Name)
			}
			return reconcile.Result{}, nil
		}))
}
