package agent

import (
	"context"
	"sync/atomic"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/taint"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/member"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
)

const (
	// probeInterval is the time between two probes of the API server of the cluster.
	probeInterval = 10 * time.Second
	// readInterval is the time between two reads of the Cluster on the hub, if the hub announces no change.
	readInterval = 10 * time.Minute
)

// prober probes the cluster, and reports facts and readiness in the status of the Cluster.
type prober struct {
	agent  *Agent
	member *member.Controller
	hub    store.Hub
	// known is the Cluster as it was read or written last, at the time read; nil before that.
	known *v1alpha1.Cluster
	read  time.Time
	// newest is the resourceVersion of the Cluster that the hub sent last, and seen the one when the Cluster was read.
	newest atomic.Uint64
	seen   uint64
	// soon has a value if something is worth a probe before its time.
	soon chan struct{}
}

func newProber(a *Agent) *prober {
	p := &prober{agent: a, hub: store.NewHub(a.hub, a.hub), soon: make(chan struct{}, 1)}
	p.member = member.New(member.Options{
		Hub: a.hub, Registry: a.registry, Pool: a.pool, Local: a.Local, Health: a.Health, Log: a.Log,
	})
	a.pool.OnSurvey(func(string) { p.wake() })
	a.bundles.onCluster = p.tell
	return p
}

// tell has the Cluster read if the hub has another one. A hub that was restored may have an older one.
func (p *prober) tell(version uint64) {
	if p.newest.Swap(version) != version {
		p.wake()
	}
}

func (p *prober) wake() {
	select {
	case p.soon <- struct{}{}:
	default: // it probes soon anyway
	}
}

func (p *prober) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := p.probe(ctx); err != nil && ctx.Err() == nil {
			p.agent.Log.Error("cannot report on the cluster, trying again", "cluster", p.agent.Cluster, "error", err)
		}
		select {
		case <-time.After(probeInterval):
		case <-p.soon:
		case <-ctx.Done():
		}
	}
}

// probe probes the cluster, and writes the status of the Cluster if that is due. It probes also while the hub does not answer.
func (p *prober) probe(ctx context.Context) error {
	unread := p.readCluster(ctx)
	if p.known == nil {
		var err error
		if p.known, err = p.agent.cache.LoadCluster(p.agent.Cluster); err != nil {
			p.agent.Log.Error("cannot use the kept Cluster, waiting for the hub", "cluster", p.agent.Cluster, "error", err)
		}
	}
	if p.known == nil {
		return unread
	}
	next, due := p.member.Probe(ctx, p.known, reachability.AgentProbeWriteInterval)
	if unread != nil || !due {
		return unread
	}
	// The hub refuses the write if it has another Cluster by now, which it announces with its next answer.
	written := p.known.DeepCopy()
	if meta.IsStatusConditionTrue(next.Conditions, fluxmeta.ReadyCondition) { // in one write, so that no plan sees a Ready cluster with them
		next.Taints = taint.OfPolicies(next.Taints)
	}
	written.Status = next
	if err := p.hub.PutStatus(ctx, written); err != nil {
		p.read = time.Time{}
		switch {
		case apierrors.IsConflict(err):
			p.wake()
			return nil
		case apierrors.IsNotFound(err):
			p.known = nil
		}
		return err
	}
	p.known = written
	return nil
}

// readCluster reads the Cluster, now and then.
func (p *prober) readCluster(ctx context.Context) error {
	newest := p.newest.Load()
	if p.known != nil && time.Since(p.read) < readInterval && (newest == p.seen || newest == live.ParseVersion(p.known.ResourceVersion)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	c := &v1alpha1.Cluster{}
	if err := p.agent.hub.Get(ctx, types.NamespacedName{Name: p.agent.Cluster}, c); err != nil {
		return err
	}
	if p.known == nil || p.known.UID != c.UID || p.known.Generation != c.Generation {
		if err := p.agent.cache.SaveCluster(c); err != nil {
			p.agent.Log.Error("the agent cannot start while the hub is away", "cluster", p.agent.Cluster, "error", err)
		}
	}
	p.known, p.read, p.seen = c, time.Now(), newest
	return nil
}
