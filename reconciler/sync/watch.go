package sync

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
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

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/dependency"
	"github.com/accord-dev/accord/reconciler/state"
)

// requests is the queue of a controller.
type requests = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Start reconciles a Federation when it changed, when somebody requests it by annotation or webhook (requested), when its
// plan sees a change of the fleet, when a plan is approved, and every interval.
func (c *Controller) Start(mgr manager.Manager, o controller.Options, requested ...ctrlsource.Source) error {
	b := ctrl.NewControllerManagedBy(mgr).Named("sync").
		For(&v1alpha1.Federation{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.Federation{}, c.dependents(), builder.WithPredicates(changed(readiness))).
		Watches(&v1alpha1.Cluster{}, c.fleetChanged()).
		Watches(&v1alpha1.Tenant{}, c.tenantChanged(), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Release{}, ofFederation(), builder.WithPredicates(predicate.Or(changed(approvals), changed(commandsOn)))).
		WithOptions(o)
	if c.Guards.turns != nil {
		requested = append(requested, ctrlsource.Func(c.Guards.turns.again.Start))
	}
	for _, source := range requested {
		b = b.WatchesRawSource(source)
	}
	return b.Complete(c)
}

const (
	// gatherPerCluster is the time for which a change of the fleet is gathered, for each cluster of the fleet, and maxGather bounds it. A plan
	// decides about each cluster: a thousand clusters that register, or become Ready, would each cause a plan for a thousand.
	gatherPerCluster = 5 * time.Millisecond
	maxGather        = 5 * time.Second
)

// fleetChanged reconciles every Federation when a Cluster is created or deleted, and those whose plan
// depends on the changed field of one. It gathers changes.
func (c *Controller) fleetChanged() handler.EventHandler {
	var size atomic.Int64
	add := func(queue requests, concerned func(*state.Federation) bool) {
		gather := min(time.Duration(size.Load())*gatherPerCluster, maxGather)
		for _, f := range c.registry.Federations() {
			if concerned(f) {
				queue.AddAfter(reconcile.Request{NamespacedName: f.Key()}, gather)
			}
		}
	}
	all := func(*state.Federation) bool { return true }
	return handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q requests) { size.Add(1); add(q, all) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q requests) { size.Add(-1); add(q, all) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q requests) {
			before, wasCluster := e.ObjectOld.(*v1alpha1.Cluster)
			after, isCluster := e.ObjectNew.(*v1alpha1.Cluster)
			add(q, func(f *state.Federation) bool { return !wasCluster || !isCluster || f.View().Sees(*before, *after) })
		},
	}
}

// tenantChanged reconciles every Federation: one Tenant more or less decides whether a Federation needs one.
func (c *Controller) tenantChanged() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		var all []reconcile.Request
		for _, f := range c.registry.Federations() {
			all = append(all, reconcile.Request{NamespacedName: f.Key()})
		}
		return all
	})
}

// ofFederation reconciles the Federation of a Release.
func ofFederation() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []reconcile.Request {
		federation := obj.GetLabels()[v1alpha1.FederationLabel]
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: federation}}}
	})
}

// changed lets updates pass that change a value of an object.
func changed(value func(client.Object) string) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool { return value(e.ObjectOld) != value(e.ObjectNew) },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}

// readiness returns what others that depend on a Federation wait for.
func readiness(obj client.Object) string {
	f := obj.(*v1alpha1.Federation)
	return fmt.Sprint(dependency.Ready(f), f.Generation, f.Status.LastAttemptedRevision)
}

// approvals returns the plans that a Release approves, and the approver.
func approvals(obj client.Object) string {
	return obj.GetAnnotations()[v1alpha1.ApprovedPlanAnnotation] + "\n" + obj.GetAnnotations()[v1alpha1.ApprovedByAnnotation]
}

// commandsOn returns the commands of people on a Release.
func commandsOn(obj client.Object) string {
	var b strings.Builder
	for _, o := range policy.CommandsOnHub(obj.GetAnnotations()) {
		b.WriteString(o.String() + " by " + o.By + "\n")
	}
	return b.String()
}
