package sync

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/recovery"
	"github.com/accord-dev/accord/propagate/taint"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/publish"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
	"github.com/accord-dev/accord/status"
)

// Planner opens Federations, plans them and activates plans. The controller, replicas and a run without a hub use it.
type Planner struct {
	registry     *state.Registry
	store        store.Store
	pool         *deliver.Pool
	reporter     *report.Reporter
	fingerprints *fingerprint.Key
	agents       *publish.Publisher // has agents try plans; nil: no cluster has one

	mu      sync.Mutex
	builds  map[types.NamespacedName]*Builds
	reviews map[types.NamespacedName]*check.Review // the last of each Federation
	allowed map[types.NamespacedName]tenancy.Allowed
}

// NewPlanner returns a planner. A nil agents: no cluster is in pull mode.
func NewPlanner(registry *state.Registry, s store.Store, pool *deliver.Pool, reporter *report.Reporter, fingerprints *fingerprint.Key, agents *publish.Publisher) *Planner {
	return &Planner{
		registry: registry, store: s, pool: pool, reporter: reporter, fingerprints: fingerprints, agents: agents,
		builds: map[types.NamespacedName]*Builds{}, reviews: map[types.NamespacedName]*check.Review{}, allowed: map[types.NamespacedName]tenancy.Allowed{},
	}
}

// Builds returns the remembered builds of a Federation.
func (p *Planner) Builds(federation types.NamespacedName) *Builds {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.builds[federation] == nil {
		p.builds[federation] = &Builds{}
	}
	return p.builds[federation]
}

// Open returns a Federation. The first time, it reads the records on the hub, so that a restart continues where the
// process before ended.
func (p *Planner) Open(ctx context.Context, fed *v1alpha1.Federation) (*state.Federation, error) {
	key := client.ObjectKeyFromObject(fed)
	if f := p.registry.Federation(key); f != nil && f.Declare(fed) {
		return f, nil
	}
	p.Forget(key)
	var objects v1alpha1.FederatedObjectList
	var deliveries v1alpha1.DeliveryList
	var releases v1alpha1.ReleaseList
	var inventories v1alpha1.InventoryList
	var reports v1alpha1.DeliveryReportList // of other replicas, and of agents
	for _, list := range []client.ObjectList{&objects, &inventories, &deliveries, &releases, &reports} {
		if err := p.store.List(ctx, list, fed.Namespace, fed.Name); err != nil {
			return nil, err
		}
	}
	f := state.Restore(fed, state.Stored{
		Objects: objects.Items, Deliveries: deliveries.Items, Inventories: inventories.Items, Releases: releases.Items, Reports: reports.Items,
	}, p.registry, p.fingerprints)
	p.registry.Add(f)
	for i := range reports.Items {
		p.pool.Ingest(&reports.Items[i])
	}
	return f, nil
}

// Follow returns a Federation that another replica plans.
func (p *Planner) Follow(fed *v1alpha1.Federation) *state.Federation {
	f := state.New(fed, p.registry, p.fingerprints)
	p.registry.Add(f)
	return f
}

// Forget drops a Federation that was deleted.
func (p *Planner) Forget(federation types.NamespacedName) {
	if !p.registry.Remove(federation) {
		return
	}
	p.mu.Lock()
	delete(p.builds, federation)
	delete(p.reviews, federation)
	delete(p.allowed, federation)
	p.mu.Unlock()
	p.pool.Forget(federation)
}

// Decision is a plan with its inputs.
type Decision struct {
	Members []v1alpha1.Cluster
	Input   propagate.Input
	Plan    *propagate.Plan
}

// Decide makes the plan after last, which may be nil, with the surveys of the clusters: clusters without one are surveyed
// first. input returns the Input for a fleet.
func (p *Planner) Decide(ctx context.Context, last *propagate.Plan, members []v1alpha1.Cluster, input func([]v1alpha1.Cluster) propagate.Input) (Decision, error) {
	p.pool.Survey(ctx, false)
	d, err := decide(last, p.pool.Inform(members), input)
	if err != nil || !d.Plan.NeedsRoom() {
		return d, err
	}
	p.registry.RequireRoom()
	asked := p.pool.Survey(ctx, true)
	if p.agents != nil {
		waiting, cancel := context.WithTimeout(ctx, deliver.SurveyTimeout)
		defer cancel()
		var byAgents bool
		members, byAgents = p.agents.Room(waiting, members)
		asked = asked || byAgents
	}
	if !asked {
		return d, nil
	}
	return decide(last, p.pool.Inform(members), input)
}

func decide(last *propagate.Plan, members []v1alpha1.Cluster, input func([]v1alpha1.Cluster) propagate.Input) (Decision, error) {
	d := Decision{Members: members, Input: input(members)}
	var err error
	d.Plan, err = last.Next(d.Input)
	return d, err
}

// review returns the review of a decision about a Federation. It takes over the findings of the review before that still hold.
func (p *Planner) review(federation types.NamespacedName, d Decision) *check.Review {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reviews[federation] = p.reviews[federation].Next(d.Input, d.Plan)
	return p.reviews[federation]
}

// refusals returns the refusals of a revision of a Federation. It looks at the objects that changed since the last plan that was not refused.
func (p *Planner) refusals(federation types.NamespacedName, rules *tenancy.Rules, v tenancy.Revision) []tenancy.Refusal {
	p.mu.Lock()
	v.Allowed = p.allowed[federation]
	p.mu.Unlock()
	refused := rules.Check(v)
	if len(refused) == 0 {
		p.mu.Lock()
		p.allowed[federation] = rules.Allow(v.Plan)
		p.mu.Unlock()
	}
	return refused
}

// view returns the facts about clusters that the plan depends on.
func (d Decision) view() inputkey.View {
	return inputkey.View{Conditions: len(d.Input.TaintPolicies) > 0, Room: d.Plan.NeedsRoom()}
}

// Pending returns the plan of a checkout, not active yet, with its findings. present are the clusters before those of the commit
// are declared.
func (d Decision) Pending(fed *v1alpha1.Federation, c Checkout, parts decode.Parts, present []v1alpha1.Cluster, review *check.Review) *activation.Pending {
	return &activation.Pending{
		Input: inputKey(fed, c, d.Members, d.view()), Resting: inputKey(fed, c, present, d.view()), Release: c.Release(fed), Plan: d.Plan,
		Findings: worstFirst(review.Run(nil, check.Deciding()...)),
		Objects:  parts.Objects, Declared: parts.Clusters, Federations: parts.Federations, Taints: d.taints(), Commits: c.commits(),
	}
}

// worstFirst sorts findings, since a Release has room for a few.
func worstFirst(findings []propagate.Finding) []propagate.Finding {
	weight := map[propagate.Severity]int{propagate.Warning: 1, propagate.Note: 2}
	slices.SortStableFunc(findings, func(a, b propagate.Finding) int { return cmp.Compare(weight[a.Severity], weight[b.Severity]) })
	return findings
}

// taints returns the taints that each Cluster is to have beside the declared and the automatic ones, where ClusterTaintPolicies change
// them.
func (d Decision) taints() map[string][]corev1.Taint {
	if len(d.Input.TaintPolicies) == 0 {
		return nil
	}
	all, wanted := map[string][]corev1.Taint{}, d.Plan.Taints()
	for i, c := range d.Input.Fleet { // in the order of the members
		if !slices.EqualFunc(c.Taints, wanted[c.Name], sameTaint) {
			all[c.Name] = taint.OfPolicies(undeclared(wanted[c.Name], d.Members[i].Spec.Taints))
		}
	}
	return all
}

// undeclared returns the taints that are not declared.
func undeclared(taints, declared []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool {
		return slices.ContainsFunc(declared, func(d corev1.Taint) bool { return sameTaint(t, d) })
	})
}

// sameTaint compares two taints without their times.
func sameTaint(a, b corev1.Taint) bool { return a.MatchTaint(&b) && a.Value == b.Value }

// Discover reads the inventories of the clusters before the first plan of a Federation without records. For a cluster that does not
// answer in time, its first delivery reads the inventory.
func (p *Planner) Discover(ctx context.Context, f *state.Federation, members []v1alpha1.Cluster) {
	if !f.Unknown() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, deliver.SurveyTimeout)
	defer cancel()
	var asking sync.WaitGroup
	for _, m := range members {
		asking.Go(func() {
			switch reachable := p.awaitReachable(ctx, m); {
			case !reachable:
			case p.agents != nil && p.registry.HasAgent(m.Name):
				p.awaitInventory(ctx, f, m.Name)
			default:
				_, _ = p.pool.Ask(ctx, m.Name, func(m *clusters.Member) error {
					_, err := deliver.Discover(ctx, f, m)
					return err
				})
			}
		})
	}
	asking.Wait()
}

// awaitInventory has the agent of a cluster asked for its objects, and waits for the answer.
func (p *Planner) awaitInventory(ctx context.Context, f *state.Federation, cluster string) {
	p.agents.Inquire(cluster)
	for f.Unrecorded(cluster) && ctx.Err() == nil {
		select {
		case <-time.After(probePoll):
		case <-ctx.Done():
		}
	}
}

// probePoll is the interval at which a plan checks whether a cluster was probed.
const probePoll = 20 * time.Millisecond

// awaitReachable waits until a cluster was probed, and reports whether it is reachable.
func (p *Planner) awaitReachable(ctx context.Context, c v1alpha1.Cluster) bool {
	for {
		now := time.Now()
		why, connected := p.registry.Reachability(c.Name, now).Unreachable, p.registry.Connected(c.Name)
		switch {
		case why == "":
			return true
		case connected && why != reachability.NotProbed:
			return false
		case !connected && p.registry.HandoverRemaining(now) <= 0 && !unprobed(c):
			return false // it was probed, or nobody probes it
		}
		select {
		case <-time.After(probePoll):
		case <-ctx.Done():
			return false
		}
	}
}

// unprobed reports whether the condition Ready of a cluster that is not connected shows that somebody is about to probe it.
func unprobed(c v1alpha1.Cluster) bool {
	ready := meta.FindStatusCondition(c.Status.Conditions, fluxmeta.ReadyCondition)
	if ready == nil {
		return c.Spec.SyncMode == v1alpha1.SyncModePull // its agent has not reported yet
	}
	return ready.Status == metav1.ConditionUnknown
}

// Park keeps a plan that does not become active now. The Release reports why, and how it becomes active.
func (p *Planner) Park(ctx context.Context, f *state.Federation, pending *activation.Pending, a *status.Approval, result *status.Preflight) error {
	let := p.reporter.HoldReleases(f)
	release := f.Park(pending, a, result)
	let()
	before := release.Status
	return p.reporter.PutRelease(ctx, f, release, func() changes.Changes { return f.Parked(pending, release, before, time.Now()) })
}

// Activate makes a pending plan active, persists it and has its clusters delivered. The order makes status truthful: first
// memory, so that nothing is computed from the old plan any more; then the hub, which reports Progressing about the new
// revision; only then are deliveries started.
func (p *Planner) Activate(ctx context.Context, f *state.Federation, pending *activation.Pending, a *status.Approval, dryRun *status.Preflight) error {
	let := p.reporter.HoldReleases(f)
	before := f.Plan()
	activated := f.Activate(activation.Request{
		Plan: pending.Plan, Input: pending.Input, Revision: pending.Input.Revision, AllowPrune: pending.Input.AllowPrune,
		Release: pending.Release.DeepCopy(), Findings: pending.Findings, Objects: pending.Objects, Approval: a, DryRun: dryRun,
	}, time.Now())
	let()
	for _, parting := range f.Partings() { // before their Deliveries are deleted
		if err := p.reporter.Part(ctx, f, parting); err != nil {
			return err
		}
	}
	if activated.Relist {
		p.pool.Relist(f)
	}
	unpersisted, err := p.reporter.Persist(ctx, f, activated.Carried)
	if err != nil {
		return err
	}
	p.pool.Enqueue(f.Persisted(unpersisted, activated.Touched, time.Now()))
	p.reporter.Enqueue(switches(f.Declared(), before, pending.Plan))
	return nil
}

// switches returns an event for each RecoveryPlan whose active site changes with a plan. before is nil after a restart.
func switches(about *v1alpha1.Federation, before, after *propagate.Plan) (c changes.Changes) {
	if before == nil {
		return c
	}
	for _, p := range recovery.Switched(before.Recoveries, after.Recoveries) {
		if p.Spec.Active == policy.StandbySite {
			c.Event(about, changes.Normal, "SwitchedToStandby", fmt.Sprintf("%s: %s takes over from %s, with its objects at %s", p.Title(), p.Spec.Standby, p.Spec.Source, p.Spec.Revision))
		} else {
			c.Event(about, changes.Normal, "SwitchedToProduction", fmt.Sprintf("%s: %s is active again, and %s follows it", p.Title(), p.Spec.Source, p.Spec.Standby))
		}
	}
	return c
}
