// Package agent executes one cluster in pull mode: it fetches the bundle of the cluster from the hub, delivers it through the API server
// beside it, and reports. It reads no Git and holds the credentials of no other cluster.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/clusters/tunnel"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/agent/bundlecache"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/member"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// pollTime is the longest time of a request that waits for another bundle.
const pollTime = delivery.MaxWait - 5*time.Second

// Options of an agent.
type Options struct {
	// Cluster is the name of the Cluster on the hub.
	Cluster string
	// Hub is the connection to the hub with the identity of the agent, Local the one to the API server of the cluster.
	Hub, Local *rest.Config
	// Secret in the cluster has the kubeconfig of the hub, into which the agent writes its renewed certificate; zero: nowhere.
	Secret types.NamespacedName
	// Lease is the time after which the hub counts the cluster as unreachable if it does not hear the agent; zero: the default.
	Lease time.Duration
	// CacheDir is the directory that keeps the last bundle for a start without the hub; empty: none is kept.
	CacheDir string
	// Tunnel lets users of the hub reach the API server of the cluster, with the rights that the cluster gives to them.
	Tunnel bool
	// Health has the times after which the condition Ready of the Cluster changes; zero: the defaults.
	Health member.Health
	Log    *slog.Logger
}

// Agent executes one cluster.
type Agent struct {
	Options
	hub       client.Client
	local     client.Client
	identity  *identity // nil without a client certificate
	bundles   *fetcher
	cache     *bundlecache.Cache // nil without a directory
	registry  *state.Registry
	pool      *deliver.Pool
	reporter  *report.Reporter
	prober    *prober
	executor  *executor
	questions questions
	// connection leads to the hub with the identity of the agent.
	connection *rest.Config
	// forUsers sends requests of users of the hub to the API server of the cluster; nil without a tunnel.
	forUsers *proxy.Member
}

// New returns an agent, which does nothing before Run is called. An error means that a connection is wrong.
func New(o Options) (*Agent, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(v1alpha1.AddToScheme(scheme), certificatesv1.AddToScheme(scheme), corev1.AddToScheme(scheme))
	if err != nil {
		return nil, err
	}
	o.Lease = cmp.Or(o.Lease, reachability.AgentLease)
	a := &Agent{Options: o}
	var connection *rest.Config
	if a.identity, connection, err = newIdentity(unlimited(o.Hub)); err != nil {
		return nil, fmt.Errorf("connecting to the hub: %w", err)
	}
	if a.hub, err = client.New(connection, client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("connecting to the hub: %w", err)
	}
	if a.bundles, err = newFetcher(connection, o.Cluster, o.Lease); err != nil {
		return nil, fmt.Errorf("connecting to the hub: %w", err)
	}
	if a.local, err = client.New(unlimited(o.Local), client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	if a.cache, err = bundlecache.Open(o.CacheDir); err != nil { // the agent needs it only if the hub is away at the next start
		o.Log.Error("cannot keep bundles for a start without the hub", "cluster", o.Cluster, "error", err)
	}
	a.connection = connection
	if o.Tunnel {
		if a.forUsers, err = proxy.New(o.Local, o.Cluster); err != nil {
			return nil, fmt.Errorf("connecting to the cluster: %w", err)
		}
	}
	a.registry = state.NewRegistry(reachability.NewSharedTracker(reachability.Agent(o.Cluster), reachability.Sole{}))
	a.reporter = report.New(report.Options{Registry: a.registry, Hub: a.hub, Gather: a.bundles.report.gather, Log: o.Log})
	parts := &parts{}
	a.pool = deliver.NewPool(a.registry, a.reporter, parts.account, o.Log)
	a.pool.Deschedule(parts.movable)
	a.questions.open = map[string]context.CancelFunc{}
	a.executor = &executor{cluster: o.Cluster, registry: a.registry, pool: a.pool, parts: parts}
	a.prober = newProber(a)
	return a, nil
}

// unlimited returns a connection without a limit of its own: the hub's fairness decides.
func unlimited(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1
	return cfg
}

// Run executes the cluster until ctx ends.
func (a *Agent) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, loop := range []func(context.Context){a.reporter.Run, a.prober.run, a.keepIdentity, a.keepTunnel, a.follow} {
		running.Go(func() { loop(ctx) })
	}
	<-ctx.Done()
	running.Wait()
	a.questions.running.Wait()
	a.pool.Close()
}

// keepTunnel keeps the tunnel of the cluster open until ctx ends.
func (a *Agent) keepTunnel(ctx context.Context) {
	if a.forUsers != nil {
		tunnel.Keep(ctx, a.connection, a.Cluster, a.forUsers.FromHub(), a.Log)
		a.forUsers.Close()
	}
}

// follow takes over one bundle after the other. While the hub does not answer, the agent goes on with the last one.
func (a *Agent) follow(ctx context.Context) {
	from := a.load()
	most := min(lastRetry, a.Lease/2) // after a restart, the hub expects the agent for the time of its lease
	etag, again := "", newBackoff(most)
	for ctx.Err() == nil {
		next, err := a.next(ctx, etag, from)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.Log.Error("cannot take over a bundle, going on with the last one", "cluster", a.Cluster, "error", err)
			a.resume(from)
			sleep(ctx, again.next())
			continue
		}
		a.executor.resync(time.Now(), next == etag)
		etag, again = next, newBackoff(a.bundles.report.patience(most))
	}
}

// next waits for another bundle than that of the ETag, and executes it. It returns the ETag of the bundle that is executed.
func (a *Agent) next(ctx context.Context, etag string, from *kept) (string, error) {
	index, added, next, err := a.bundles.index(ctx, etag, min(pollTime, a.Lease*3/4))
	if err != nil || index == nil {
		return etag, err
	}
	if err := index.Follows(a.executor.last, a.Cluster); err != nil {
		return "", fmt.Errorf("the agent refuses the bundle: %w", err)
	}
	if slices.ContainsFunc(index.Parts, func(p bundle.Part) bool { return p.Unknown }) { // the agent keeps the part that it had
		a.resume(from)
	}
	contents, err := a.bundles.contents(ctx, index.Missing(func(name string) bool { return added[name] != nil || a.has(name, from) }))
	if err != nil {
		return "", err
	}
	maps.Copy(contents, added)
	maps.Copy(contents, from.contents)
	if err := a.cache.Save(a.executor.complete(index), a.executor.contentsFrom(contents)); err != nil {
		a.Log.Error("the agent has no bundle if it starts while the hub is away", "cluster", a.Cluster, "error", err)
	}
	a.questions.end(index)
	a.try(ctx, index, contents)
	a.takeStock(ctx, index)
	a.measure(ctx, index)
	*from = kept{contents: ofTrials(index, contents)}
	if err := a.executor.execute(index, contents, time.Now()); err != nil {
		return "", errors.Join(errors.New("parts of the bundle are not executed"), err)
	}
	return next, nil
}

func sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}
