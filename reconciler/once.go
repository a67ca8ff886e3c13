package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/manager"
	"github.com/accord-dev/accord/reconciler/member"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/rollout"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
	syncer "github.com/accord-dev/accord/reconciler/sync"
	"github.com/accord-dev/accord/reconciler/tenant"
	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/status"
)

// OnceOptions configure one delivery without a hub.
type OnceOptions struct {
	// Federation as it would be declared on a hub. Its interval and its secretRefs are ignored.
	Federation v1alpha1.Federation
	// Auth has the data of the Secrets that sources refer to, by name.
	Auth map[string]map[string][]byte
	// Configs lead to the members, by cluster name. A Cluster manifest in Git without a config is unreachable; a config
	// without a manifest is a cluster without labels, region and zones.
	Configs map[string]*rest.Config
	// CacheDir holds the Git clones.
	CacheDir string
	// Sources decides which repositories the sources may name.
	Sources source.Policy
	// Allow has the codes of checks whose errors do not block the delivery.
	Allow []string
	// Tenants are those of a hub; without any, everything is allowed.
	Tenants []v1alpha1.Tenant
	// Dump receives the planner's whole input as txtar; nil for none.
	Dump io.Writer
	// Wait bounds the wait for health; with 0 the run ends as soon as every reachable cluster was delivered.
	Wait time.Duration
	// Progress is called whenever the status of the Release changed; nil for never.
	Progress func(v1alpha1.ReleaseStatus)
	Log      logr.Logger
}

// OnceResult has the records that a hub would have at the end. If Rejected has objects that clusters refused in the dry-run, nothing
// was written to any cluster.
type OnceResult = state.Records

const (
	// oncePoll is the interval at which a run checks whether it is done.
	oncePoll = 20 * time.Millisecond
	// onceLimit bounds a run that does not wait for health.
	onceLimit = 10 * time.Minute
)

// Once reconciles one Federation once, without a hub: it fetches, compiles, plans, sends dry-runs, delivers and observes. It returns
// when the Release has ended. It returns an error only if it could not begin; the result has the failures of clusters. The
// code is that of the controllers, with a store in memory.
func Once(ctx context.Context, o OnceOptions) (OnceResult, error) {
	scheme, err := manager.Scheme()
	if err != nil {
		return OnceResult{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := newOnce(store.NewMemory(scheme), o)
	var loops sync.WaitGroup
	loops.Go(func() { r.run(ctx) })
	defer func() { cancel(); loops.Wait() }()

	f, p, err := r.plan(ctx)
	if err != nil {
		return OnceResult{}, err
	}
	if active, err := r.admit(ctx, f, p); err != nil {
		return OnceResult{}, err
	} else if !active {
		return f.Records(), nil
	}
	r.await(ctx, f)
	if err := r.settle(context.WithoutCancel(ctx), f); err != nil {
		return OnceResult{}, err
	}
	return f.Records(), nil
}

// once is one run without a hub.
type once struct {
	OnceOptions
	pool     *deliver.Pool
	reporter *report.Reporter
	planner  *syncer.Planner
	rollouts *rollout.Loop
}

func newOnce(records store.Store, o OnceOptions) *once {
	log := slog.New(logr.ToSlogHandler(o.Log))
	registry := state.NewRegistry(reachability.NewTracker())
	reporter := report.New(report.Options{Registry: registry, Store: records, Log: log})
	pool := deliver.NewPool(registry, reporter, tenant.AccountsAmong(o.Tenants), log)
	rollouts := rollout.NewLoop(registry, pool, reporter, rollout.NewPast(nil), log)
	reporter.OnRollouts(rollouts.Check)
	return &once{
		OnceOptions: o, pool: pool, reporter: reporter, rollouts: rollouts,
		planner: syncer.NewPlanner(registry, records, pool, reporter, store.ProcessFingerprints(), nil),
	}
}

// run runs the loops until ctx ends.
func (r *once) run(ctx context.Context) {
	var deciding sync.WaitGroup
	deciding.Go(func() { r.rollouts.Run(ctx) })
	r.reporter.Run(ctx)
	deciding.Wait()
	r.pool.Close()
}

// plan makes the plan, which is not active yet.
func (r *once) plan(ctx context.Context) (*state.Federation, *activation.Pending, error) {
	fed := &r.Federation
	fed.Generation = 1
	clones, err := source.OpenGit(r.CacheDir, r.Sources)
	if err != nil {
		return nil, nil, err
	}
	gate, err := syncer.NewGate(r.Tenants, fed)
	if err != nil {
		return nil, nil, err
	}
	checkout, parts, err := gate.Read(ctx, syncer.Sources{Git: clones}, r.secret)
	if err != nil {
		return nil, nil, err
	}
	if err := r.connect(ctx, parts.Clusters); err != nil {
		return nil, nil, err
	}
	f, err := r.planner.Open(ctx, fed)
	if err != nil {
		return nil, nil, err
	}
	members := gate.Rules.Members(r.members(parts.Clusters))
	r.planner.Discover(ctx, f, members)
	previous := f.Previous()
	d, err := r.planner.Decide(ctx, nil, members, func(members []v1alpha1.Cluster) propagate.Input {
		in := checkout.Input(fed, parts, members, previous)
		in.Evictions = f.Evictions()
		return in
	})
	if r.Dump != nil {
		err = errors.Join(err, dump.Write(r.Dump, d.Input))
	}
	if err != nil {
		return nil, nil, err
	}
	if err := r.checkStages(d.Plan); err != nil {
		return nil, nil, err
	}
	p := d.Pending(fed, checkout, parts, d.Members, check.NewReview(d.Input, d.Plan))
	if err := gate.Refuse(p, checkout, parts, d.Input, r.Allow); err != nil {
		return nil, nil, err
	}
	p.Findings, p.Objects = nil, nil // a result has no room for them
	return f, p, nil
}

func (r *once) secret(_ context.Context, name string) (map[string][]byte, error) {
	data, ok := r.Auth[name]
	if !ok {
		return nil, errors.New("not given")
	}
	return data, nil
}

// members returns the declared clusters and those that only the kubeconfig has.
func (r *once) members(declared []v1alpha1.Cluster) []v1alpha1.Cluster {
	members := slices.Clone(declared)
	for _, name := range slices.Sorted(maps.Keys(r.Configs)) {
		if !slices.ContainsFunc(members, func(m v1alpha1.Cluster) bool { return m.Name == name }) {
			members = append(members, v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	}
	return members
}

// connect connects and probes every member with a config, all at once.
func (r *once) connect(ctx context.Context, declared []v1alpha1.Cluster) error {
	probes := make(chan error)
	for name, cfg := range r.Configs {
		go func() {
			m, err := clusters.Connect(cfg, name)
			if err != nil {
				probes <- fmt.Errorf("cluster %s: %w", name, err)
				return
			}
			r.pool.Connect(m)
			w, specID := r.pool.Worker(name), ""
			if i := slices.IndexFunc(declared, func(c v1alpha1.Cluster) bool { return c.Name == name }); i >= 0 {
				w.SetResourceModels(declared[i].Spec.ResourceModels, false)
				specID = declared[i].Spec.ID
			}
			r.pool.Probed(name, member.ProbeOnce(ctx, w, specID))
			probes <- nil
		}()
	}
	var errs []error
	for range r.Configs {
		errs = append(errs, <-probes)
	}
	return errors.Join(errs...)
}

// checkStages rejects a plan with stages when nobody waits: between two stages a cluster has to become healthy.
func (r *once) checkStages(plan *propagate.Plan) error {
	for _, x := range plan.Rollouts() {
		if len(x.Clusters) > 0 && r.Wait == 0 {
			return fmt.Errorf("%s (%s) updates clusters one after the other, and each has to become healthy before the next: "+
				"wait for as long as all stages may take, or let controllers do it", x.Policy.Title(), x.Policy.Origin)
		}
	}
	return nil
}

// admit activates a plan, unless the prune limits stop it or a cluster rejects something of it in the dry-run: then nothing
// is written to any cluster, and the plan is not tried again. It reports whether the plan is active.
func (r *once) admit(ctx context.Context, f *state.Federation, p *activation.Pending) (bool, error) {
	if p.PruneBlock = f.PruneBlock(p); p.PruneBlock != nil {
		return false, r.planner.Park(ctx, f, p, nil, nil)
	}
	var result *status.Preflight
	if syncer.DryRunRequired(&r.Federation) {
		f.WaitedFor(p.Plan.Clusters()) // every cluster was probed, or cannot be
		tried := r.planner.DryRun(ctx, f, p, nil)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if rejected := tried.Rejected(); len(rejected) > 0 {
			return false, r.planner.Park(ctx, f, p, nil, &status.Preflight{Refused: rejected})
		}
		result = &status.Preflight{Passed: tried.String()}
	}
	return true, r.planner.Activate(ctx, f, p, nil, result)
}

// await returns when the Release has ended, or the time is over.
func (r *once) await(ctx context.Context, f *state.Federation) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.Wait, onceLimit))
	defer cancel()
	tick := time.NewTicker(oncePoll)
	defer tick.Stop()
	ended := func() bool { now, _ := f.ReleaseStatus(); return status.Ended(now, r.Wait > 0) }
	var last v1alpha1.Summary
	for {
		now, _ := f.ReleaseStatus()
		if r.Progress != nil && now.Summary != last {
			r.Progress(now)
			last = now.Summary
		}
		// The Release may not report objects yet that are still to be removed from a cluster: only one made after all deliveries counts.
		if ended() && !f.Outstanding(time.Now()) && r.settle(ctx, f) == nil && ended() {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// settle brings every status up to date that would be written in its own time.
func (r *once) settle(ctx context.Context, f *state.Federation) error {
	var errs []error
	for id := range f.ObjectIDs() {
		errs = append(errs, r.reporter.WriteObject(ctx, f, id))
	}
	for _, c := range f.Clusters() {
		r.reporter.ComputeDelivery(f, c)
	}
	return errors.Join(append(errs, r.reporter.WriteRelease(ctx, f))...)
}
