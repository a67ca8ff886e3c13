package reconciler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/status"
)

// OnceOptions say what to deliver, from where, to which clusters.
type OnceOptions struct {
	// Federation as it would be declared on a hub. Its interval and its secretRefs have no meaning here; spec.preflight has.
	Federation v1alpha1.Federation
	// Auth has the data of the Secrets that sources refer to, by name.
	Auth map[string]map[string][]byte
	// Configs lead to the members, by cluster name. A Cluster manifest in Git without one is unreachable; a config
	// without a manifest is a cluster without labels, region and zones.
	Configs map[string]*rest.Config
	// CacheDir holds the Git clones.
	CacheDir string
	// Dump receives the planner's whole input as txtar; nil: none.
	Dump io.Writer
	// Wait is how long to wait for health; 0 ends as soon as every cluster that can be reached was delivered.
	Wait time.Duration
	// Progress is called whenever the status of the Release changed; nil: never.
	Progress func(v1alpha1.ReleaseStatus)
	Log      logr.Logger
}

// OnceResult is what a hub would show at the end.
type OnceResult struct {
	// Refused is what clusters refused when it was tried: then nothing was written to any. Empty otherwise.
	Refused    []status.Refusal
	Release    v1alpha1.Release
	Deliveries []v1alpha1.Delivery
	Objects    []v1alpha1.FederatedObject
}

const (
	// oncePoll is how often the end is looked for.
	oncePoll = 20 * time.Millisecond
	// onceDeliver bounds a delivery that nobody waits for health of.
	onceDeliver = 10 * time.Minute
)

// Once does a controller's whole job one time, without a hub: fetch, compile, try, deliver, look. It returns when the
// release has ended one way or the other, and an error only if it could not begin: what became of the clusters is in
// the result. The code is the controllers' own; only the ledger is another.
func Once(ctx context.Context, o OnceOptions) (OnceResult, error) {
	scheme, err := newScheme()
	if err != nil {
		return OnceResult{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := newEngine(store.NewMemory(scheme), slog.New(logr.ToSlogHandler(o.Log)), func(client.Object, string, string, string) {})
	ended := make(chan struct{})
	go func() { defer close(ended); e.run(ctx) }()
	defer func() { cancel(); <-ended }()

	f, p, err := o.propose(ctx, e)
	if err != nil {
		return OnceResult{}, err
	}
	if inForce, err := o.admit(ctx, e, f, p); err != nil {
		return OnceResult{}, err
	} else if !inForce {
		return f.result(), nil
	}
	e.await(ctx, f, o)
	if err := e.settle(context.WithoutCancel(ctx), f); err != nil {
		return OnceResult{}, err
	}
	return f.result(), nil
}

// propose makes the plan, which is not in force yet.
func (o OnceOptions) propose(ctx context.Context, e *engine) (*federation, *proposal, error) {
	fed := &o.Federation
	fed.Generation = 1
	cache, err := source.OpenGit(o.CacheDir)
	if err != nil {
		return nil, nil, err
	}
	c, err := fetch(ctx, cache, fed, o.secret)
	if err != nil {
		return nil, nil, err
	}
	parts, err := c.parts(nil)
	if err != nil {
		return nil, nil, err
	}
	if err := o.connect(ctx, e, parts.Clusters); err != nil {
		return nil, nil, err
	}
	f, err := e.open(ctx, fed)
	if err != nil {
		return nil, nil, err
	}
	declared := o.members(parts.Clusters)
	e.recollect(ctx, f, declared)
	previous := f.previous()
	d, err := e.decide(ctx, nil, declared, func(members []v1alpha1.Cluster) propagate.Input {
		return c.input(fed, parts, members, previous)
	})
	if o.Dump != nil {
		err = errors.Join(err, dump.Write(o.Dump, d.input))
	}
	if err != nil {
		return nil, nil, err
	}
	if digest := d.plan.Digest(); fed.Spec.RequireApproval && !slices.Contains(c.approves(), digest) {
		return nil, nil, fmt.Errorf("the plan %s is not approved, and there is no hub to approve it on: push a commit that has the line %q in its message",
			digest, v1alpha1.ApprovePlanTrailer+digest)
	}
	if err := o.staged(d.plan); err != nil {
		return nil, nil, err
	}
	b := basisOf(fed, c, d.members, d.sight())
	return f, &proposal{basis: b, seen: b, release: c.release(fed), plan: d.plan}, nil
}

func (o OnceOptions) secret(_ context.Context, name string) (map[string][]byte, error) {
	data, ok := o.Auth[name]
	if !ok {
		return nil, errors.New("not given")
	}
	return data, nil
}

// members are the declared clusters and those that only the kubeconfig knows.
func (o OnceOptions) members(declared []v1alpha1.Cluster) []v1alpha1.Cluster {
	members := slices.Clone(declared)
	for _, name := range slices.Sorted(maps.Keys(o.Configs)) {
		if !slices.ContainsFunc(members, func(m v1alpha1.Cluster) bool { return m.Name == name }) {
			members = append(members, v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	}
	return members
}

// connect and probe every member that there is a config for, all at once.
func (o OnceOptions) connect(ctx context.Context, e *engine, declared []v1alpha1.Cluster) error {
	probes := make(chan error)
	for name, cfg := range o.Configs {
		go func() {
			m, err := clusters.Connect(cfg, name)
			if err != nil {
				probes <- fmt.Errorf("cluster %s: %w", name, err)
				return
			}
			e.connect(m)
			if i := slices.IndexFunc(declared, func(c v1alpha1.Cluster) bool { return c.Name == name }); i >= 0 {
				e.bulkhead(name).facts.setModels(declared[i].Spec.ResourceModels, false)
			}
			ctx, cancel := context.WithTimeout(ctx, probeTimeout)
			defer cancel()
			_, err = clusters.Probe(ctx, m)
			e.heard(name, err)
			probes <- nil
		}()
	}
	var errs []error
	for range o.Configs {
		errs = append(errs, <-probes)
	}
	return errors.Join(errs...)
}

// await returns when the release has ended, or time has.
func (e *engine) await(ctx context.Context, f *federation, o OnceOptions) {
	limit := o.Wait
	if limit == 0 {
		limit = onceDeliver
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var last v1alpha1.ReleaseStatus
	for tick := time.NewTicker(oncePoll); ; {
		now := f.result().Release.Status
		if o.Progress != nil && now.Summary != last.Summary {
			o.Progress(now)
			last = now
		}
		if over(now, o.Wait > 0) && !e.delivering(f) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// delivering says that a cluster that answers was not delivered to its end yet: what is to be removed from it is not told
// by the Release before that, and one that has to be left alone does not end it for the others.
func (e *engine) delivering(f *federation) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return e.outstanding(f)
}

// settle brings up to date at once what would be told when it is its turn.
func (e *engine) settle(ctx context.Context, f *federation) error {
	f.mu.Lock()
	clusters, objects := f.clusters(), f.objectIDs()
	f.mu.Unlock()
	var errs []error
	for id := range objects {
		errs = append(errs, e.reporter.writeObject(ctx, f, id))
	}
	for _, c := range clusters {
		e.reporter.judgeDelivery(f, c)
	}
	return errors.Join(append(errs, e.reporter.release(ctx, f))...)
}

// over says whether waiting longer can change the answer.
func over(s v1alpha1.ReleaseStatus, health bool) bool {
	if meta.IsStatusConditionTrue(s.Conditions, "Ready") || meta.IsStatusConditionTrue(s.Conditions, "Stalled") {
		return true
	}
	if rolling(s) {
		return false
	}
	open := s.Summary.Progressing
	if !health {
		return meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Applied) || s.Summary.Total > 0 && s.Summary.Applied+s.Summary.Failed+s.Summary.Held+s.Summary.Unreachable >= s.Summary.Total
	}
	return s.Summary.Total > 0 && open == 0 && s.Summary.Failed == 0
}

// result is what the ledger would show.
func (f *federation) result() OnceResult {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := OnceResult{Release: *f.release.DeepCopy()}
	if told := f.preflights.told; told != nil {
		r.Refused = told.Refused
	}
	for _, c := range f.clusters() {
		if l := f.legs[c]; !l.idle() {
			r.Deliveries = append(r.Deliveries, *l.delivery.DeepCopy())
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(f.objects), manifest.ID.Compare) {
		r.Objects = append(r.Objects, *f.objects[id].DeepCopy())
	}
	return r
}
