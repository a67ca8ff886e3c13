package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/commitstatus"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/descheduler"
	"github.com/accord-dev/accord/reconciler/diskwatch"
	"github.com/accord-dev/accord/reconciler/failover"
	"github.com/accord-dev/accord/reconciler/livecluster"
	"github.com/accord-dev/accord/reconciler/manager"
	"github.com/accord-dev/accord/reconciler/member"
	"github.com/accord-dev/accord/reconciler/memory"
	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/reconciler/mirror"
	"github.com/accord-dev/accord/reconciler/notify"
	"github.com/accord-dev/accord/reconciler/publish"
	"github.com/accord-dev/accord/reconciler/recordwatch"
	"github.com/accord-dev/accord/reconciler/registration"
	"github.com/accord-dev/accord/reconciler/replica"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/report/events"
	"github.com/accord-dev/accord/reconciler/rollout"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
	syncer "github.com/accord-dev/accord/reconciler/sync"
	"github.com/accord-dev/accord/reconciler/tenant"
	"github.com/accord-dev/accord/reconciler/trigger"
	"github.com/accord-dev/accord/reconciler/webhook"
	"github.com/accord-dev/accord/reconciler/witness"
	"github.com/accord-dev/accord/source"
)

// Options of the controllers.
type Options struct {
	// CacheDir holds the Git clones and the snapshots of live clusters. It survives restarts, and may be deleted while nothing runs.
	CacheDir string
	// Sources decides which repositories the sources of Federations, and which forges their commit statuses, may name.
	Sources source.Policy
	// HealthAddress serves /healthz and /readyz; empty: it is off.
	HealthAddress string
	Metrics       metrics.Options
	Webhook       webhook.Options
	// LeaderElection lets several replicas run on one hub, of which one leads. It is off where a lock on the hub's data
	// does the same.
	LeaderElection bool
	// Share lets replicas that do not lead own clusters too. It needs LeaderElection and Namespace.
	Share bool
	// Replica names this replica, uniquely among the replicas of the hub; empty: the name of the host and a few letters.
	Replica string
	// Bundles gets the bundles of clusters in pull mode; nil: accord ignores these clusters.
	Bundles *bundles.Store
	// Mirror publishes the objects of every Federation without spec.mirror on the hub.
	Mirror bool
	// RequireTenant refuses every Federation that no Tenant governs, also while no Tenant exists.
	RequireTenant bool
	// Namespace of the leader election Lease, and of the Secret with the key of fingerprints; empty: that of inventories.
	Namespace string
	// SecretsNamespace is the only namespace whose Secrets are credentials of clusters; empty: Namespace.
	SecretsNamespace string
	// Health has the times after which the conditions and taints of Clusters change.
	Health member.Health
	// Failover has the settings of evictions that Federations do not set.
	Failover failover.Defaults
	// Descheduler has the settings of the descheduler that Federations do not set.
	Descheduler descheduler.Settings
	// Register approves the requests of clusters in pull mode that register with a bootstrap token.
	Register bool
	// Authority signs the certificates of their agents; nil: kube-controller-manager does.
	Authority registration.Authority
	// Now is the clock for the renewal of the tokens of clusters; nil: time.Now.
	Now func() time.Time
	Log logr.Logger
}

const (
	// syncWorkers bounds the Federations that a follower reconciles at once, probeWorkers the clusters that are probed: a cluster that
	// does not answer occupies a worker for member.ProbeTimeout.
	syncWorkers  = 4
	probeWorkers = 64
	// leaseName is the Lease that replicas elect a leader by.
	leaseName = "accord"
)

// Run runs the controllers on the hub that cfg leads to, until ctx ends. The CRDs must be installed (store.InstallCRDs).
func Run(ctx context.Context, cfg *rest.Config, o Options) error {
	writes := &metrics.HubWrites{}
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(writes.Wrap)
	mgr, err := manager.New(cfg, manager.Options{
		Metrics: o.Metrics.Server(o.Log.V(1)), HealthAddress: o.HealthAddress, LeaderElection: o.LeaderElection, LeaseName: leaseName, Namespace: o.Namespace,
		ByObject: map[client.Object]cache.ByObject{&v1alpha1.Delivery{}: {Transform: replica.AssignmentOnly}}, Log: o.Log.V(1), // its lines are about itself
	})
	if err != nil {
		return err
	}
	c, err := newControllers(ctx, mgr, cfg, o)
	if err != nil && ctx.Err() != nil {
		return nil // stopped before it began
	} else if err != nil {
		return err
	}
	if err := c.addTo(ctx, mgr, o); err != nil {
		return err
	}
	if o.Metrics.Address != "" {
		collector := metrics.NewCollector(func() metrics.Snapshot { return c.snapshot(o.Bundles) }, writes)
		if err := ctrlmetrics.Registry.Register(collector); err != nil {
			return fmt.Errorf("registering the metrics, which one process has once: %w", err)
		}
		defer ctrlmetrics.Registry.Unregister(collector)
	}
	return mgr.Start(ctx)
}

// controllers are all loops of a process, and the queues between them.
type controllers struct {
	registry        *state.Registry
	pool            *deliver.Pool
	reporter        *report.Reporter
	mirror          *mirror.Publisher
	bundles         *publish.Publisher
	planner         *syncer.Controller
	member          *member.Controller
	remover         *member.Remover
	rollouts        *rollout.Loop
	witness         *witness.Witness
	evictions       *failover.Loop
	limiter         *events.Limiter
	tenants         *tenant.Controller
	register        *registration.Controller
	shared          *shared // nil where one replica owns every cluster
	pushes          chan event.GenericEvent
	probes, replans *trigger.Trigger
}

// newControllers wires the loops together. Nothing runs yet.
func newControllers(ctx context.Context, mgr ctrl.Manager, cfg *rest.Config, o Options) (*controllers, error) {
	log := slog.New(logr.ToSlogHandler(o.Log))
	hub, uncached := mgr.GetClient(), mgr.GetAPIReader()
	clones, err := source.OpenGit(o.CacheDir, o.Sources)
	if err != nil {
		return nil, err
	}
	key := types.NamespacedName{Namespace: cmp.Or(o.Namespace, applyset.InventoryNamespace), Name: store.FingerprintSecret}
	fingerprints, err := store.Fingerprints(ctx, uncached, hub, key, log)
	if err != nil {
		return nil, err
	}
	limiter := events.NewLimiter(mgr.GetEventRecorder("accord"))
	emit := func(e changes.Event) { limiter.Event(e.About, e.Type, e.Reason, e.Message) }
	records := store.NewHub(hub, uncached)
	c := &controllers{limiter: limiter, registry: state.NewRegistry(reachability.NewTracker()), pushes: make(chan event.GenericEvent), probes: &trigger.Trigger{}, replans: &trigger.Trigger{}}
	if o.Share {
		if c.shared, err = newShared(cfg, o, log); err != nil {
			return nil, err
		}
		c.registry = c.shared.registry
	}
	c.reporter = report.New(report.Options{Registry: c.registry, Store: records, Hub: hub, Emit: emit, Log: log})
	c.pool = deliver.NewPool(c.registry, c.reporter, tenant.Accounts(hub, o.RequireTenant), log)
	c.pool.Deschedule(o.Descheduler.Movable)
	c.mirror, err = mirror.NewPublisher(mgr.GetConfig(), mirror.PublisherOptions{
		Registry: c.registry, Always: o.Mirror, Declared: records.Federations, Emit: emit, Log: log,
		Update: func(fed types.NamespacedName, id manifest.ID) { c.reporter.Enqueue(changes.ObjectUpdate(fed, id)) },
	})
	if err != nil {
		return nil, err
	}
	c.bundles = publish.New(c.registry, tenant.Accounts(hub, o.RequireTenant), uncached, hub, o.Bundles, o.Descheduler, log)
	c.witness = witness.New(o.Failover.Witness, func(cluster string) string { return c.registry.Reachability(cluster, time.Now()).Unreachable })
	c.member = member.New(member.Options{
		Hub: hub, Secrets: uncached, SecretsNamespace: cmp.Or(o.SecretsNamespace, key.Namespace), Records: records, Registry: c.registry, Pool: c.pool, Wake: c.probes.Cluster, Emit: emit, Log: log, Now: o.Now, Health: o.Health, Witness: c.witness,
		Fence: func(cfg *rest.Config, cluster string) *rest.Config { return replica.Fence(cfg, c.registry, cluster) },
		Visit: replica.DryRunOnly, Pull: c.bundles.SetAgent,
	})
	live := livecluster.New(livecluster.Options{
		Hub: hub, Secrets: uncached, SecretsNamespace: cmp.Or(o.SecretsNamespace, key.Namespace), Networks: o.Sources.Networks, InCluster: rest.InClusterConfig, CacheDir: o.CacheDir, Changed: c.replans.Federation, Shared: o.Share, Log: log,
	})
	c.planner = &syncer.Controller{
		Client: hub, Planner: syncer.NewPlanner(c.registry, records, c.pool, c.reporter, fingerprints, c.bundles),
		Secrets: uncached, Sources: syncer.NewSources(clones, live), Guards: syncer.NewGuards(o.CacheDir), Lead: func() {}, Taint: c.member.Taint,
		RequireTenant: o.RequireTenant,
	}
	past := rollout.NewPast(c.planner.PlanAt)
	c.rollouts = rollout.NewLoop(c.registry, c.pool, c.reporter, past, log)
	c.evictions = failover.NewLoop(failover.Options{
		Clusters: hub, Cache: mgr.GetCache(), Registry: c.registry, Pool: c.pool, Reporter: c.reporter, Witness: c.witness,
		Defaults: o.Failover, MaxUnreachable: o.Health.MostUnreachable(), Log: log,
	})
	c.remover = &member.Remover{Client: hub, Registry: c.registry, Reporter: c.reporter, Emit: emit, Log: log}
	c.register = &registration.Controller{Options: registration.Options{
		Hub: hub, Uncached: uncached, Authority: o.Authority, Emit: emit, Log: log,
	}}
	c.tenants = &tenant.Controller{Reader: uncached, Records: records}
	c.connect()
	if c.shared != nil {
		c.shared.follower = &replica.Follower{
			Client: hub, Registry: c.registry, Records: records, Pool: c.pool, Plans: c.planner, Past: past, Led: c.shared.handOver, Log: log,
		}
		c.planner.Lead = c.shared.follower.Lead
		c.pool.OnVisit(c.member.VisitRemote)
	}
	return c, nil
}

// connect has the reporter and the pool tell the other loops what changed.
func (c *controllers) connect() {
	c.reporter.Mirror(c.mirror)
	c.reporter.OnReplan(c.replans.Federation)
	c.reporter.OnRollouts(c.rollouts.Check)
	c.reporter.OnEvictions(c.evictions.Check)
	c.pool.OnSurvey(c.probes.Cluster)
	c.pool.OnPulled(c.bundles.Changed)
	c.bundles.OnDiscovered(c.replans.Federation)
	c.bundles.OnHeard(c.member.HeardAgain)
	c.reporter.OnAssigned(c.bundles.Changed)
}

// addTo has the manager run the loops.
func (c *controllers) addTo(ctx context.Context, mgr ctrl.Manager, o Options) error {
	log, probing := slog.New(logr.ToSlogHandler(o.Log)), manager.Workers(probeWorkers)
	probing.NeedLeaderElection = ptr.To(c.shared == nil)
	return errors.Join(
		c.planner.Start(mgr, manager.Workers(syncer.Workers), ctrlsource.Channel(c.pushes, &handler.EnqueueRequestForObject{}), ctrlsource.Func(c.replans.Start)),
		c.member.Index(ctx, mgr.GetFieldIndexer()),
		manager.Clusters(mgr, "cluster", c.member, probing, predicate.GenerationChangedPredicate{}, ctrlsource.Func(c.probes.Start)),
		manager.Clusters(mgr, "removal", c.remover, manager.Workers(member.RemovalWorkers), predicate.Funcs{}),
		commitstatus.NewReporter(mgr.GetClient(), mgr.GetAPIReader(), o.Sources.Networks, c.limiter.Event, log).Start(mgr, manager.Workers(commitstatus.Workers)),
		notify.Add(mgr, manager.Workers(notify.Workers), notify.Options{Secrets: mgr.GetAPIReader(), Networks: o.Sources.Networks, Event: c.limiter.Event, Log: log}),
		c.tenants.Start(mgr, manager.Workers(1)),
		c.register.AddTo(mgr, o.Register),
		mgr.Add(manager.Always(func(ctx context.Context) error { c.reporter.Run(ctx); c.pool.Close(); return nil })),
		mgr.Add(manager.Leading(func(ctx context.Context) error { c.rollouts.Run(ctx); return nil })),
		mgr.Add(manager.Leading(c.evictions.Run)),
		mgr.Add(manager.Leading(func(ctx context.Context) error { c.mirror.Run(ctx); return nil })),
		mgr.Add(manager.Leading(func(ctx context.Context) error { o.Descheduler.Run(ctx, c.registry, c.replans.Federation); return nil })),
		mgr.Add(manager.Leading(func(ctx context.Context) error { c.bundles.Run(ctx); return nil })),
		mgr.Add(manager.Always(c.planner.Sources.Live.Run)),
		mgr.Add(manager.Always(memory.ReturnAtRest)),
		mgr.Add(manager.Always(func(ctx context.Context) error { c.witness.Run(ctx); return nil })),
		mgr.Add(&webhook.Server{Options: o.Webhook, Manager: mgr, Events: c.pushes}),
		recordwatch.Add(mgr, c.registry, c.reporter),
		mgr.Add(diskwatch.New(o.CacheDir, c.registry, c.reporter, o.Log)),
		c.shared.addTo(mgr, c),
		replica.AddReports(mgr, c.pool, c.planner.Lead),
	)
}

// snapshot returns the figures of the metrics. Only the leader shows statuses; every replica shows the clusters that it
// executes.
func (c *controllers) snapshot(published *bundles.Store) metrics.Snapshot {
	s := metrics.Snapshot{StatusQueueDepth: c.reporter.QueueLength()}
	if published != nil {
		s.Bundles = ptr.To(published.Counts())
	}
	for _, f := range c.registry.Federations() {
		s.Add(f.Key().String(), f.Figures(time.Now()), f.Plan(), !c.registry.Follower(), c.registry.Owns)
	}
	for _, l := range c.planner.Sources.Live.Figures(time.Now()) {
		s.Live = append(s.Live, metrics.LiveSource{Federation: l.Federation.String(), Source: l.Source, Objects: l.Objects, Unread: l.Unread, Listed: l.Listed, Read: l.Read})
	}
	connected := map[string]bool{}
	for _, w := range c.pool.Workers() {
		connected[w.Name()] = true
		reach := w.Reachability()
		ready, blocked := c.member.Conditions(w.Name())
		s.Clusters = append(s.Clusters, metrics.Cluster{
			Name: w.Name(), Ready: ready, FailoverBlocked: blocked, Reachable: reach.Unreachable == "", Breaker: w.Breaker().State, QueueDepth: w.QueueLength(), LastProbeSuccess: reach.LastProbe,
		})
	}
	for _, name := range c.member.Declared() {
		if !connected[name] {
			ready, blocked := c.member.Conditions(name)
			s.Clusters = append(s.Clusters, metrics.Cluster{Name: name, Ready: ready, FailoverBlocked: blocked, Reachable: c.registry.Reachability(name, time.Now()).Unreachable == ""})
		}
	}
	return s
}
