// Package failover is the loop of evictions: it observes the clusters and the copies, has package propagate/failover decide, writes the
// tasks to the hub, and requests a plan that follows them.
package failover

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/retryqueue"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/witness"
)

const (
	// workers bounds the Federations that are decided at once.
	workers = 2
	// gather is the time for which observations are gathered before a decision.
	gather = 250 * time.Millisecond
	// mostBlocked bounds the evictions that the condition FailoverBlocked names.
	mostBlocked = 3
)

// Options of a Loop.
type Options struct {
	// Clusters reads the Clusters of the hub from a cache that Cache fills.
	Clusters client.Reader
	Cache    cache.Cache
	Registry *state.Registry
	Pool     *deliver.Pool
	Reporter *report.Reporter
	Witness  *witness.Witness
	Defaults Defaults
	// MaxUnreachable is the default percentage of clusters that may be unreachable.
	MaxUnreachable int
	Log            *slog.Logger
}

// Loop decides the evictions of all Federations.
type Loop struct {
	Options
	queue retryqueue.Queue[types.NamespacedName]

	mu      sync.Mutex
	blocked map[types.NamespacedName]bool // Federations with the condition FailoverBlocked, or that may have it since before this process
}

// NewLoop returns a loop, which decides nothing before Run is called.
func NewLoop(o Options) *Loop {
	return &Loop{Options: o, queue: retryqueue.New[types.NamespacedName](retryqueue.FirstRetry, retryqueue.LastRetry), blocked: map[types.NamespacedName]bool{}}
}

// Check requests a decision. It does not block.
func (l *Loop) Check(federation types.NamespacedName) { l.queue.AddAfter(federation, gather) }

// checkAll requests a decision about every Federation.
func (l *Loop) checkAll() {
	for _, f := range l.Registry.Federations() {
		l.Check(f.Key())
	}
}

// Run decides until ctx ends.
func (l *Loop) Run(ctx context.Context) error {
	informer, err := l.Cache.GetInformer(ctx, &v1alpha1.Cluster{})
	if err != nil {
		return fmt.Errorf("watching the clusters: %w", err)
	}
	watch, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { l.checkAll() },
		DeleteFunc: func(any) { l.checkAll() },
		UpdateFunc: func(old, now any) {
			before, ok := old.(*v1alpha1.Cluster)
			after, also := now.(*v1alpha1.Cluster)
			if !ok || !also || !same(before, after) {
				l.checkAll()
			}
		},
	})
	if err != nil {
		return fmt.Errorf("watching the clusters: %w", err)
	}
	l.queue.Run(ctx, workers, l.decide, func(key types.NamespacedName, err error) {
		l.Log.Error("cannot write eviction tasks, trying again", "federation", key, "error", err)
	})
	return informer.RemoveEventHandler(watch)
}

// same reports whether two states of a Cluster decide the same.
func same(a, b *v1alpha1.Cluster) bool {
	return failed(a) == failed(b) && (a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) &&
		equality.Semantic.DeepEqual(a.Spec.Taints, b.Spec.Taints) && equality.Semantic.DeepEqual(a.Status.Taints, b.Status.Taints)
}

// decide makes one decision and acts on it. The hub has the tasks before any plan follows them: a process that takes over at any point
// continues from there, and a hub that cannot be written evicts nothing.
func (l *Loop) decide(ctx context.Context, key types.NamespacedName) error {
	f := l.Registry.Federation(key)
	if f == nil || l.Registry.Follower() { // the leader decides
		return nil
	}
	in := failover.Input{
		Now: time.Now(), Settings: failover.Configured(l.Defaults.Over(f.Spec().Failover, l.MaxUnreachable)), Witness: l.Witness.Unreachable(),
	}
	var err error
	if in.Clusters, err = l.clusters(ctx, in.Now); err != nil {
		return err
	}
	removing := slices.ContainsFunc(in.Clusters, func(c failover.Cluster) bool { return c.Removing })
	if !in.Settings.Enabled && !removing && len(f.Evictions()) == 0 {
		return l.report(ctx, f, failover.Input{}, failover.Outcome{})
	}
	in, out, next, ok := f.DecideEvictions(in)
	if !ok {
		return nil // the next plan requests a decision
	}
	l.Pool.Enqueue(next)
	if err := l.Reporter.WriteEvictions(ctx, f, out.Tasks); err != nil {
		return err
	}
	l.Pool.Enqueue(f.EvictionsWritten(in, out))
	if !out.Again.IsZero() {
		l.queue.AddAfter(key, max(0, time.Until(out.Again))+gather)
	}
	return l.report(ctx, f, in, out)
}

// clusters returns the clusters of the hub.
func (l *Loop) clusters(ctx context.Context, now time.Time) ([]failover.Cluster, error) {
	var list v1alpha1.ClusterList
	if err := l.Clusters.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil { // it is only read
		return nil, fmt.Errorf("listing the clusters: %w", err)
	}
	var all []failover.Cluster
	for i := range list.Items {
		c := &list.Items[i]
		if c.DeletionTimestamp != nil {
			continue
		}
		reach := l.Registry.Reachability(c.Name, now)
		all = append(all, failover.Cluster{
			Name: c.Name, Unreachable: unreachable(c, reach.Lost()), Answers: reach.Unreachable == "",
			Taints:   slices.Concat(c.Spec.Taints, c.Status.Taints),
			Removing: slices.ContainsFunc(c.Spec.Taints, drains),
		})
	}
	return all, nil
}

// drains reports whether a taint is that of "accord drain".
func drains(t corev1.Taint) bool {
	return t.Key == v1alpha1.TaintDrain && t.Effect == corev1.TaintEffectNoExecute
}

// report sets the condition FailoverBlocked of a Federation.
func (l *Loop) report(ctx context.Context, f *state.Federation, in failover.Input, out failover.Outcome) error {
	reason, message := blocked(in, out)
	l.mu.Lock()
	was, known := l.blocked[f.Key()]
	l.mu.Unlock()
	if message == "" && known && !was {
		return nil
	}
	if err := l.Reporter.FailoverBlocked(ctx, f, reason, message); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.blocked[f.Key()] = message != ""
	return nil
}

// blocked returns why evictions do not begin; empty if none is due, or none is needed.
func blocked(in failover.Input, out failover.Outcome) (reason, message string) {
	needed := slices.DeleteFunc(slices.Clone(out.Blocked), func(b failover.Blocked) bool { return b.Needless })
	switch {
	case !in.Settings.Enabled:
		return "", ""
	case out.Doubt != "" && in.Witness != "":
		return v1alpha1.WitnessUnreachable, out.Doubt
	case out.Doubt != "":
		return v1alpha1.ManyClustersNotReady, out.Doubt
	case len(needed) == 0:
		return "", ""
	}
	var all []string
	for _, b := range needed {
		all = append(all, fmt.Sprintf("%s on %s: %s", b.ID, b.Cluster, b.Message))
	}
	return v1alpha1.EvictionsBlocked, phrase.Count(len(needed), "eviction") + " blocked: " + phrase.List(all, mostBlocked)
}
