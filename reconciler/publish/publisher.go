// Package publish publishes the bundles of the clusters in pull mode, which their agents execute.
package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/descheduler"
	"github.com/accord-dev/accord/reconciler/retryqueue"
	"github.com/accord-dev/accord/reconciler/state"
)

const (
	// gather is the time for which changes are gathered before a bundle is made.
	gather = 20 * time.Millisecond
	// forgetInterval is the time after which the digests of objects that no bundle has are dropped.
	forgetInterval = 10 * time.Minute
	// sequences is the number of bundles that one start of the leader can publish for a cluster, as a number of bits.
	sequences = 20
)

// Publisher makes the bundle of a cluster again when something changed that it depends on. Only the leader publishes.
type Publisher struct {
	registry *state.Registry
	// account finds the account for the objects of a Federation; after an error nothing new is published.
	account func(ctx context.Context, federation types.NamespacedName) (tenancy.Account, error)
	// hub reads without a cache, cached with one.
	hub, cached client.Reader
	store       *bundles.Store
	counts      descheduler.Settings // of replicas that agents count
	log         *slog.Logger
	queue       retryqueue.Queue[string]
	inquiries   retryqueue.Queue[string] // clusters whose agents are to be asked for their objects
	replan      func(federation types.NamespacedName)

	mu     sync.Mutex
	epochs map[string]string            // the UID of each Cluster in pull mode
	trials map[string]map[string]*Trial // of each Cluster, by ID
	asked  map[string]*bundle.Inquiry   // of each Cluster

	// Only the worker of the queue uses the rest. term is the resource version of the hub when this process began to publish: it grows
	// from start to start; 0 before.
	term      uint64
	published map[string]published
	encoder   bundle.Encoder
	forgot    time.Time
}

// published is the last bundle of a cluster.
type published struct {
	epoch, parts, questions string
	room                    bool
	sequence                uint64
}

// idsOf identifies the trials and the inquiry of an index, none of which ever changes.
func idsOf(index bundle.Index) string {
	var ids []string
	for _, t := range index.Trials {
		ids = append(ids, t.ID)
	}
	if index.Inquiry != nil {
		ids = append(ids, index.Inquiry.ID)
	}
	return strings.Join(ids, " ")
}

// New returns a publisher, which publishes nothing before Run is called. Without a store no cluster is in pull mode.
func New(registry *state.Registry, account func(context.Context, types.NamespacedName) (tenancy.Account, error), hub, cached client.Reader, store *bundles.Store, counts descheduler.Settings, log *slog.Logger) *Publisher {
	return &Publisher{
		registry: registry, account: account, hub: hub, cached: cached, store: store, counts: counts, log: log, queue: retryqueue.New[string](retryqueue.FirstRetry, retryqueue.LastRetry),
		inquiries: retryqueue.New[string](retryqueue.FirstRetry, retryqueue.LastRetry), replan: func(types.NamespacedName) {},
		encoder: bundle.Encoder{Known: store.Has},
		epochs:  map[string]string{}, trials: map[string]map[string]*Trial{}, asked: map[string]*bundle.Inquiry{}, published: map[string]published{},
	}
}

// Changed has the bundle of a cluster made again, and its agent asked for the objects of which the hub has no record. It does nothing for a
// cluster that is not in pull mode. It does not block.
func (p *Publisher) Changed(cluster string) {
	if p.store != nil && p.registry.HasAgent(cluster) {
		p.queue.AddAfter(cluster, gather)
		p.inquiries.AddAfter(cluster, gather)
	}
}

// SetAgent records that a Cluster is in pull mode, with its UID and its resourceVersion; an empty uid: that it is not any more.
func (p *Publisher) SetAgent(cluster, uid, version string) {
	if p.store == nil {
		return
	}
	p.store.SetClusterVersion(cluster, version)
	p.mu.Lock()
	changed := p.epochs[cluster] != uid
	if uid != "" {
		p.epochs[cluster] = uid
	} else {
		delete(p.epochs, cluster)
	}
	p.mu.Unlock()
	if changed {
		p.queue.Add(cluster)
	}
}

// OnHeard sets the function that gets a cluster whose agent is heard again. It must not block.
func (p *Publisher) OnHeard(again func(cluster string)) {
	if p.store == nil {
		return
	}
	p.store.OnHeard(func(cluster string, lasts time.Duration) {
		if p.registry.RecordBeat(cluster, lasts, time.Now()) {
			again(cluster)
		}
	})
}

// Run publishes until ctx ends.
func (p *Publisher) Run(ctx context.Context) {
	if p.store != nil {
		p.store.Open()
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		p.inquiries.Run(ctx, inquirers, p.inquire, func(cluster string, err error) {
			p.log.Warn("cannot ask an agent for the objects of its cluster, trying again", "cluster", cluster, "error", err)
		})
	})
	defer asking.Wait()
	p.queue.Run(ctx, 1, p.publish, func(cluster string, err error) {
		p.log.Error("cannot make the bundle of a cluster, trying again", "cluster", cluster, "error", err)
	})
}

func (p *Publisher) epoch(cluster string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.epochs[cluster]
}

// publish makes the bundle of a cluster, and publishes it if it differs from the last one.
func (p *Publisher) publish(ctx context.Context, cluster string) error {
	epoch := p.epoch(cluster)
	if epoch == "" {
		delete(p.published, cluster)
		p.store.Remove(cluster)
		return nil
	}
	if err := p.begin(ctx); err != nil {
		return err
	}
	last := p.published[cluster]
	sequence := max(last.sequence+1, p.term<<sequences)
	parts, contents, err := p.parts(ctx, cluster, sequence)
	if err != nil {
		return err
	}
	trials, err := p.encodeTrials(cluster, contents)
	if err != nil {
		return err
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return fmt.Errorf("encoding the parts of the bundle: %w", err)
	}
	index := bundle.Index{Cluster: cluster, Epoch: epoch, Sequence: sequence, Trials: trials, Inquiry: p.inquiry(cluster), Room: p.registry.RoomRequired()}
	next := published{epoch: epoch, parts: delivery.Digest(text), questions: idsOf(index), room: index.Room, sequence: last.sequence}
	if next == last {
		return nil
	}
	next.sequence = sequence
	encoded, err := bundle.EncodeIndex(index, text)
	if err != nil {
		return fmt.Errorf("encoding the index of the bundle: %w", err)
	}
	if err := p.store.Publish(cluster, bundles.Bundle{Index: encoded, Objects: contents, Federations: len(parts)}); err != nil {
		return err
	}
	p.published[cluster] = next
	return nil
}

// begin reads the resource version of the hub once, and drops the digests of objects now and then.
func (p *Publisher) begin(ctx context.Context) error {
	if now := time.Now(); now.Sub(p.forgot) > forgetInterval {
		p.encoder.Forget()
		p.forgot = now
	}
	if p.term > 0 {
		return nil
	}
	var some v1alpha1.FederationList // of a kind that accord may list
	if err := p.hub.List(ctx, &some, client.Limit(1)); err != nil {
		return fmt.Errorf("reading the resource version of the hub: %w", err)
	}
	p.term = live.ParseVersion(some.ResourceVersion)
	return nil
}

// parts returns those of all Federations for an index with a sequence, sorted. A Federation that this process has not opened yet is
// Unknown.
func (p *Publisher) parts(ctx context.Context, cluster string, sequence uint64) ([]bundle.Part, bundle.Contents, error) {
	var all v1alpha1.FederationList
	if err := p.cached.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return nil, nil, fmt.Errorf("listing the Federations: %w", err)
	}
	keys := make([]types.NamespacedName, len(all.Items))
	for i := range all.Items {
		keys[i] = client.ObjectKeyFromObject(&all.Items[i])
	}
	slices.SortFunc(keys, func(a, b types.NamespacedName) int { return strings.Compare(a.String(), b.String()) })
	var parts []bundle.Part
	contents := bundle.Contents{}
	for _, key := range keys {
		part, err := p.part(ctx, key, cluster, sequence, contents)
		if err != nil {
			return nil, nil, fmt.Errorf("encoding the part of Federation %s: %w", key, err)
		}
		if part != nil {
			parts = append(parts, *part)
		}
	}
	return parts, contents, nil
}

func (p *Publisher) part(ctx context.Context, key types.NamespacedName, cluster string, sequence uint64, contents bundle.Contents) (*bundle.Part, error) {
	f := p.registry.Federation(key)
	if f == nil {
		return &bundle.Part{Namespace: key.Namespace, Name: key.Name, Unknown: true}, nil
	}
	part, err := f.BundlePart(cluster, sequence, &p.encoder, contents)
	if err != nil || part == nil || part.Unknown {
		return part, err
	}
	p.counts.AddTo(part, f)
	part.Settings.Account, err = p.account(ctx, key)
	return part, err
}
