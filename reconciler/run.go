package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/commitstatus"
	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/reconciler/report/events"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/webhook"
	"github.com/accord-dev/accord/source"
)

// Options of the controllers.
type Options struct {
	// CacheDir holds the Git clones. It survives restarts, and may be deleted while nothing runs.
	CacheDir string
	// HealthAddress serves /healthz and /readyz, MetricsAddress /metrics, HookAddress POST /hook/<namespace>/<federation>.
	// Each is off when it is empty.
	HealthAddress  string
	MetricsAddress string
	HookAddress    string
	// LeaderElection lets several replicas run on one hub, of which one leads. Off where a lock on the hub's data does it.
	LeaderElection bool
	// Share has the replicas that do not lead hold clusters too: each delivers to some. It needs LeaderElection and Namespace.
	Share bool
	// Replica is the name of this one, unique among the replicas of the hub; empty: the name of the host and a few letters.
	Replica string
	// Mirror publishes the objects of every Federation that does not say otherwise on the hub.
	Mirror bool
	// Namespace of the leader election Lease, and of the Secret with the key of fingerprints; empty: that of inventories.
	Namespace string
	Log       logr.Logger
}

const (
	// syncWorkers is how many Federations are looked at at once, probeWorkers how many clusters: a cluster that does
	// not answer keeps a prober waiting for probeTimeout.
	syncWorkers  = 4
	probeWorkers = 64
	// heralds is how many commits are reported at once: a forge that hangs keeps one of them for half a minute.
	heralds = 8
	// leaseName is the Lease that replicas elect a leader by.
	leaseName = "accord"
)

// Run runs the controllers on the hub that cfg leads to, until ctx ends. The CRDs must be there (store.InstallCRDs).
func Run(ctx context.Context, cfg *rest.Config, o Options) error {
	writes := &metrics.HubWrites{}
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(writes.Wrap)
	mgr, err := newManager(cfg, o)
	if err != nil {
		return err
	}
	clones, err := source.OpenGit(o.CacheDir)
	if err != nil {
		return err
	}
	records := store.NewHub(mgr.GetClient(), mgr.GetAPIReader())
	log := slog.New(logr.ToSlogHandler(o.Log))
	e := newEngine(records, log, events.NewLimiter(mgr.GetEventRecorder("accord")).Event)

	keyAt := types.NamespacedName{Namespace: cmp.Or(o.Namespace, applyset.InventoryNamespace), Name: store.FingerprintSecret}
	if e.fingerprints, err = store.Fingerprints(ctx, mgr.GetAPIReader(), mgr.GetClient(), keyAt, log); err != nil && ctx.Err() != nil {
		return nil // it was stopped before it began
	} else if err != nil {
		return err
	}
	hooks, news, plans := make(chan event.GenericEvent), &waker{}, &waker{}
	p := newProber(mgr.GetClient(), mgr.GetAPIReader(), e)
	p.wake, e.surveyed, e.replan = news.wake, news.wake, plans.look
	s := &syncer{Client: mgr.GetClient(), secrets: mgr.GetAPIReader(), cache: clones, engine: e, taint: p.taint}
	e.revisit = s.revisit
	if e.mirror, err = newMirrorer(mgr.GetConfig(), e, o.Mirror, records.Federations); err != nil {
		return err
	}
	if o.Share {
		if err := shareClusters(mgr, cfg, o, s, p); err != nil {
			return err
		}
	}
	err = errors.Join(
		watchFederations(mgr, s, hooks, plans),
		watchClusters(mgr, p, news, !o.Share),
		watchLeaving(mgr, e),
		watchReleases(mgr, commitstatus.NewReporter(mgr.GetClient(), mgr.GetAPIReader(), e.event, log)),
		mgr.Add(always(func(ctx context.Context) error { e.run(ctx); return nil })),
		mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { e.mirror.run(ctx); return nil })),
		mgr.Add(&webhook.Server{Address: o.HookAddress, Manager: mgr, Events: hooks}),
	)
	if err != nil {
		return err
	}
	if o.MetricsAddress != "" {
		figures := metrics.NewCollector(e.snapshot, writes)
		if err := ctrlmetrics.Registry.Register(figures); err != nil {
			return fmt.Errorf("registering the metrics, which one process has once: %w", err)
		}
		defer ctrlmetrics.Registry.Unregister(figures)
	}
	return mgr.Start(ctx)
}

// newManager is controller-runtime's, with only what the loops need in its cache.
func newManager(cfg *rest.Config, o Options) (manager.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // the hub's own fairness decides
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        scheme,
		Logger:                        o.Log.V(1), // its lines are about itself
		Metrics:                       server.Options{BindAddress: orOff(o.MetricsAddress)},
		HealthProbeBindAddress:        orOff(o.HealthAddress),
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: true,
		Cache:                         cache.Options{ByObject: map[client.Object]cache.ByObject{&v1alpha1.Delivery{}: {Transform: orderOnly}}},
	})
	if err != nil {
		return nil, fmt.Errorf("hub %s: %w", cfg.Host, err)
	}
	return mgr, errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping))
}

// orOff is controller-runtime's way to say no address.
func orOff(address string) string {
	if address == "" {
		return "0"
	}
	return address
}

// newScheme knows our kinds and those of Kubernetes.
func newScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, errors.Join(clientgoscheme.AddToScheme(s), v1alpha1.AddToScheme(s))
}

// watchFederations looks at a Federation when it changed, when somebody asked by annotation or push hook, when its plan
// sees the fleet otherwise, when a plan is approved, and every interval.
func watchFederations(mgr manager.Manager, s *syncer, hooks chan event.GenericEvent, plans *waker) error {
	return ctrl.NewControllerManagedBy(mgr).Named("sync").
		For(&v1alpha1.Federation{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.Cluster{}, s.fleetChanged()).
		Watches(&v1alpha1.Release{}, approvals(), builder.WithPredicates(predicate.Or(approvalChanged(), orderGiven()))).
		WatchesRawSource(ctrlsource.Channel(hooks, &handler.EnqueueRequestForObject{})).
		WatchesRawSource(ctrlsource.Func(plans.start)).
		WithOptions(controller.Options{MaxConcurrentReconciles: syncWorkers, RateLimiter: backoff(), SkipNameValidation: ptr.To(true)}).
		Complete(s)
}

// watchClusters probes a Cluster when it changed, when there is news of it, and every probeInterval. A replica that does not
// lead has clusters to probe if the replicas share them.
func watchClusters(mgr manager.Manager, p *prober, news *waker, leaderOnly bool) error {
	return ctrl.NewControllerManagedBy(mgr).Named("cluster").
		For(&v1alpha1.Cluster{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(ctrlsource.Func(news.start)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: probeWorkers, RateLimiter: backoff(), SkipNameValidation: ptr.To(true), NeedLeaderElection: &leaderOnly,
		}).
		Complete(p)
}

// watchReleases tells the forges of the sources of every Release when it changed, or what its Federation says of them.
func watchReleases(mgr manager.Manager, h *commitstatus.Reporter) error {
	return ctrl.NewControllerManagedBy(mgr).Named("commit-status").
		For(&v1alpha1.Release{}).
		Watches(&v1alpha1.Federation{}, handler.EnqueueRequestsFromMapFunc(h.Releases), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: heralds, RateLimiter: backoff(), SkipNameValidation: ptr.To(true)}).
		Complete(h)
}

func backoff() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry)
}
