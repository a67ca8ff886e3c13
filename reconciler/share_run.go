package reconciler

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
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
	"github.com/accord-dev/accord/reconciler/replica/lease"
)

// always is what every replica does, whether or not it leads.
type always func(ctx context.Context) error

// Start is manager.Runnable's.
func (a always) Start(ctx context.Context) error { return a(ctx) }

// NeedLeaderElection is false.
func (always) NeedLeaderElection() bool { return false }

// replicaName is unique, and the name of an object.
func replicaName(asked string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("naming this replica: %w", err)
	}
	return strings.ToLower(strings.ReplaceAll(host, "_", "-") + "-" + rand.Text()[:5]), nil
}

// shareClusters has this replica take its share of the clusters. It leads when it is elected, and until then carries out what the
// one that leads orders.
func shareClusters(mgr manager.Manager, cfg *rest.Config, o Options, s *syncer, p *prober) error {
	e := s.engine
	if !o.LeaderElection {
		return errors.New("replicas that share clusters need leader election: one of them leads")
	}
	leases, err := coordinationclient.NewForConfig(cfg)
	if err != nil {
		return err
	}
	name, err := replicaName(o.Replica)
	if err != nil {
		return err
	}
	turned, orders := make(chan struct{}, 1), &waker{}
	shards := lease.New(lease.Options{
		Leases: leases.Leases(o.Namespace), Name: leaseName, Identity: name, LetGo: p.letGo, Log: e.log,
		Changed: func() {
			select {
			case turned <- struct{}{}:
			default: // it will be seen to
			}
		},
	})
	e.share.replica, e.share.holders, e.share.hub, e.share.reader = name, shards, mgr.GetClient(), mgr.GetAPIReader()
	e.share.follows.Store(true)
	e.visit = p.visit
	watching, err := client.NewWithWatch(cfg, client.Options{Scheme: mgr.GetScheme()})
	if err != nil {
		return err
	}
	for _, r := range []manager.Runnable{
		always(shards.Run),
		always(func(ctx context.Context) error { p.handOver(ctx, turned, orders); return nil }),
		manager.RunnableFunc(func(ctx context.Context) error { e.lead(); e.followReports(ctx, watching); return nil }),
	} {
		if err := mgr.Add(r); err != nil {
			return err
		}
	}
	return watchOrders(mgr, &carrier{s}, orders)
}

// handOver sees to it that what this replica holds now is connected, and what is ordered there carried out.
func (p *prober) handOver(ctx context.Context, turned <-chan struct{}, orders *waker) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-turned:
		}
		p.engine.share.moved()
		if err := p.regain(ctx, orders); err != nil && ctx.Err() == nil {
			p.engine.log.Error("cannot see to it which clusters are held now", "error", err)
		}
	}
}

// regain has every cluster and every federation looked at, because other clusters may be held now.
func (p *prober) regain(ctx context.Context, orders *waker) error {
	var members v1alpha1.ClusterList
	var federations v1alpha1.FederationList
	for _, list := range []client.ObjectList{&members, &federations} {
		if err := p.List(ctx, list); err != nil {
			return err
		}
	}
	for _, c := range members.Items {
		p.wake(c.Name)
	}
	for _, fed := range federations.Items {
		orders.look(client.ObjectKeyFromObject(&fed))
	}
	for _, f := range p.engine.all() {
		if err := p.engine.retake(ctx, f); err != nil {
			return err
		}
		for _, c := range members.Items {
			p.engine.reporter.cluster(f, c.Name)
		}
	}
	return nil
}

// watchOrders has the orders of a Federation looked at when one of a cluster that this replica holds changed, and when the
// Federation did.
func watchOrders(mgr manager.Manager, c *carrier, orders *waker) error {
	about := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []reconcile.Request {
		d, ok := obj.(*v1alpha1.Delivery)
		if !ok {
			return nil
		}
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: d.Namespace, Name: d.Spec.Federation}}}
	})
	mine := predicate.NewPredicateFuncs(func(obj client.Object) bool {
		d, ok := obj.(*v1alpha1.Delivery)
		return ok && c.engine.follows() && c.engine.holds(d.Spec.Cluster)
	})
	return ctrl.NewControllerManagedBy(mgr).Named("orders").
		For(&v1alpha1.Federation{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.Delivery{}, about, builder.WithPredicates(mine, orderChanged())).
		WatchesRawSource(ctrlsource.Func(orders.start)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: syncWorkers, RateLimiter: backoff(), SkipNameValidation: ptr.To(true), NeedLeaderElection: ptr.To(false),
		}).
		Complete(c)
}

// orderChanged lets pass what is a new order: most writes of a Delivery tell what became of the last one.
func orderChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		old, wasOrder := e.ObjectOld.(*v1alpha1.Delivery)
		now, isOrder := e.ObjectNew.(*v1alpha1.Delivery)
		return !wasOrder || !isOrder || orderOf(old) != orderOf(now) || (len(old.Status.Inventory) == 0) != (len(now.Status.Inventory) == 0)
	}}
}

// orderOnly is what is kept in memory of a Delivery to somebody who carries it out.
func orderOnly(obj any) (any, error) {
	if d, ok := obj.(*v1alpha1.Delivery); ok {
		d.ManagedFields = nil
		d.Status = v1alpha1.DeliveryStatus{Inventory: d.Status.Inventory, Rollouts: d.Status.Rollouts}
	}
	return obj, nil
}

// followReports takes in what other replicas report, until ctx ends. Nothing is kept of a report but what is judged.
func (e *engine) followReports(ctx context.Context, hub client.WithWatch) {
	source := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list := &v1alpha1.DeliveryReportList{}
			return list, hub.List(ctx, list, &client.ListOptions{Raw: &o})
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return hub.Watch(ctx, &v1alpha1.DeliveryReportList{}, &client.ListOptions{Raw: &o})
		},
	}
	toolscache.NewReflectorWithOptions(source, &v1alpha1.DeliveryReport{}, reportStore{e}, toolscache.ReflectorOptions{Name: "reports"}).RunWithContext(ctx)
}
