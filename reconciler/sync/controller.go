package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/poison"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/status"
)

// Controller keeps the plan of every Federation up to date with its sources.
type Controller struct {
	client.Client
	*Planner
	// Secrets reads Secrets when they are needed, without a cache.
	Secrets client.Reader
	Sources Sources
	// Lead is called before every reconciliation: only the leader reconciles.
	Lead func()
	// Guards protect the process.
	Guards Guards
	// Taint takes over the taints that ClusterTaintPolicies decide, by cluster, beside the declared ones.
	Taint func(map[string][]corev1.Taint)
	// RequireTenant refuses every Federation that no Tenant governs, also while no Tenant exists.
	RequireTenant bool
}

// scope has the values of one reconciliation. Each phase adds its results.
type scope struct {
	f   *state.Federation
	fed *v1alpha1.Federation

	rules    *tenancy.Rules // nil without Tenants
	checkout Checkout
	present  []v1alpha1.Cluster // of the hub
	members  []v1alpha1.Cluster // of present, those that exist for the Tenant
	input    inputkey.Key
	// unschedulable are the replicas that the descheduler may move.
	unschedulable deschedule.Copies
	pending       *activation.Pending
	approval      *status.Approval  // nil where none is required
	dryRun        *status.Preflight // nil where plans are not tried
	// planned ends the pause of the deliveries; nil before it begins.
	planned func()
	// announcing is the write of the status of the Federation while a plan takes long; decided ends the wait for it.
	announcing sync.WaitGroup
	decided    context.CancelFunc
	// attempt marks the revision as being planned; nil before that.
	attempt *poison.Attempt
	// delayed is set if the revision is not planned now, for lack of memory.
	delayed bool
	// activated is set if a plan became active.
	activated bool
}

// phase is one step of a reconciliation. It returns false if the reconciliation ends there.
type phase func(context.Context, *scope) (next bool, err error)

// look returns the phases that plan the newest commit. A mistake in Git ends them without an error: only the next commit helps, and
// the active plan stays.
func (c *Controller) look() []phase {
	return append([]phase{c.govern, c.fetch, c.depend, c.compare, c.guard, c.announce, c.plan}, c.permit()...)
}

// permit decides whether a plan may become active, and takes it to the clusters.
func (c *Controller) permit() []phase {
	return append([]phase{c.limitPrune, c.approve}, c.admit()...)
}

// admit takes an approved plan to the clusters.
func (c *Controller) admit() []phase {
	return []phase{c.tryOut, c.declareClusters, c.declareFederations, c.activate}
}

func run(ctx context.Context, s *scope, phases []phase) error {
	defer func() {
		if s.planned != nil {
			s.planned()
		}
		if s.attempt != nil {
			s.attempt.End()
		}
		if s.decided != nil {
			s.decided()
		}
		s.announcing.Wait()
		s.f.SetPlanning("")
	}()
	for _, p := range phases {
		if next, err := p(ctx, s); err != nil || !next {
			return err
		}
	}
	return nil
}

// Reconcile brings one Federation up to date.
func (c *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c.Lead()
	fed := &v1alpha1.Federation{}
	err := c.Get(ctx, req.NamespacedName, fed)
	switch {
	case apierrors.IsNotFound(err) || err == nil && fed.DeletionTimestamp != nil:
		c.Forget(req.NamespacedName)
		c.Guards.turns.forget(req.NamespacedName)
		c.Sources.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	end, begun := c.Guards.turns.begin(req.NamespacedName, fed)
	if !begun {
		return ctrl.Result{RequeueAfter: changes.RetryInterval}, nil // it is woken before
	}
	defer end()
	f, err := c.Open(ctx, fed)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := c.reporter.Acknowledge(ctx, f, fed); err != nil {
		return ctrl.Result{}, err
	}
	s := &scope{f: f, fed: fed}
	if err := c.restoreEvicting(ctx, f, fed); err != nil {
		return ctrl.Result{}, err
	}
	if fed.Spec.Suspend {
		c.Sources.pause(f.Key())
		c.pool.Suspend(f)
	} else if err := errors.Join(c.evict(ctx, f, fed), c.resume(ctx, f, fed), run(ctx, s, c.look()), c.commands(ctx, f)); err != nil {
		return ctrl.Result{}, err
	}
	if err := errors.Join(c.reportSigners(ctx, s), c.restore(ctx, f, fed)); err != nil {
		return ctrl.Result{}, err
	}
	f.Handled(requestedAt(fed))
	c.pool.Enqueue(f.Reconciled(time.Now()))
	after := requeueAfter(f, fed, time.Now())
	if s.delayed || s.checkout.unread != nil {
		after = min(after, changes.RetryInterval)
	}
	if s.checkout.again > 0 {
		after = min(after, s.checkout.again)
	}
	if s.activated {
		return ctrl.Result{RequeueAfter: after}, nil // the status is written a little later, beside no delivery
	}
	return ctrl.Result{RequeueAfter: after}, c.reporter.WriteRelease(ctx, f)
}

// requeueAfter returns when a Federation is reconciled again: after its interval, or earlier if a source could not be
// read, a hold of a cluster ends, or a plan is tried again.
func requeueAfter(f *state.Federation, fed *v1alpha1.Federation, now time.Time) time.Duration {
	after := fed.Spec.Interval.Duration
	if fed.Spec.Suspend {
		return after
	}
	if f.SourceError() != nil {
		after = min(after, changes.RetryInterval)
	}
	if at := f.NextHoldEnd(now); !at.IsZero() {
		after = min(after, at.Sub(now)+time.Second)
	}
	if retry := f.DryRunRetry(now); retry > 0 {
		after = min(after, retry)
	}
	return after
}

// resume admits the pending plan as soon as its Release is approved or the prune limits do not stop it any more, and tries
// a rejected plan again when that is due. It does not read the sources. While the newest revision is not verified it admits no plan:
// the keys of the signers may have changed.
func (c *Controller) resume(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation) error {
	p := f.PendingPlan(fed.Generation)
	if p == nil || p.Input.Evictions != inputkey.Evictions(f.Evictions()) || !f.DryRunDue(requestedAt(fed), time.Now()) || status.RejectionReason(f.SourceError()) == status.SourceUnverified {
		return nil
	}
	rules, err := c.Rules(ctx, fed)
	if status.RejectionReason(err) == status.RefusedByTenant || err == nil && rules.ID() != p.Input.Tenant {
		return nil // it is planned again
	} else if err != nil {
		return err
	}
	s := &scope{f: f, fed: fed, rules: rules, pending: p}
	if p.PruneBlock != nil {
		if f.PruneBlock(p) != nil {
			return nil
		}
		unblocked := *p
		s.pending = &unblocked
		return run(ctx, s, c.permit())
	}
	s.approval, err = c.approval(ctx, s)
	switch {
	case err != nil:
		return err
	case s.approval == nil || s.approval.By != "":
		return run(ctx, s, c.admit())
	case f.DryRunRetry(time.Now()) > 0, s.approval.Refused != p.Refused: // somebody took the approval back, or it does not count
		refused := *p
		refused.Refused = s.approval.Refused
		return c.Park(ctx, s.f, &refused, s.approval, nil)
	}
	return nil
}

// fetch reads the sources and the clusters of the hub.
func (c *Controller) fetch(ctx context.Context, s *scope) (bool, error) {
	defer c.restoreIfSlow(ctx, s)()
	reading, explain, end := withinFetchTime(ctx, s.rules)
	defer end()
	sources := c.Sources
	sources.build = func(ctx context.Context, repositories Checkout) (decode.Parts, error) {
		return c.Guards.turns.build(ctx, s.fed.Namespace, func() (decode.Parts, error) { return repositories.Parts(c.Builds(s.f.Key()), budget(s.rules)) })
	}
	var err error
	if s.checkout, err = Fetch(reading, sources, s.fed, s.rules, c.SecretsOf(s.fed)); err != nil {
		c.pool.Enqueue(s.f.SourceUnavailable(explain(err)))
		return false, nil
	}
	c.pool.Enqueue(s.f.SourcesRead(s.checkout.unread))
	_, releases := s.f.SourcesAt()
	c.Sources.Live.Keep(s.fed, releases)
	s.checkout = s.checkout.sinceActive(s.f)
	s.present, err = c.clusters(ctx)
	s.members = targets(s.fed, s.rules.Members(s.present))
	return err == nil, err
}

// compare ends the reconciliation if nothing has changed since the newest revision was decided about.
func (c *Controller) compare(ctx context.Context, s *scope) (bool, error) {
	s.input = inputKey(s.fed, s.checkout, c.pool.Inform(s.members), s.f.View())
	s.unschedulable = unschedulable(s.f, s.fed)
	s.input.Tenant, s.input.Evictions, s.input.Unschedulable = s.rules.ID(), inputkey.Evictions(s.f.Evictions()), s.unschedulable.Text()
	var err error
	if s.input.Federations, err = c.declaredFederations(ctx, s.fed); err != nil {
		return false, err
	}
	if s.f.Unchanged(s.input, time.Now()) {
		c.pool.Enqueue(s.f.Resync(time.Now()))
		_, err := c.reporter.Memory(ctx, s.f, "")
		return false, err
	}
	s.planned = c.pool.Planning(s.f.Key())
	return true, nil
}

// announceDelay is the time that a plan may take before it is announced. Most pushes are planned in less: the write would then compete with
// those that the first delivery waits for.
const announceDelay = changes.StartDelay

// announce reports in the status of the Federation that a new revision is planned, if that takes long. If the write fails, the first status
// of the delivery repeats it. A plan that has to be approved is reported when it is known.
func (c *Controller) announce(ctx context.Context, s *scope) (bool, error) {
	if s.fed.Spec.Approval != nil || !s.f.SetPlanning(s.checkout.Revision()) {
		return true, nil
	}
	var deciding context.Context
	deciding, s.decided = context.WithCancel(ctx)
	s.announcing.Go(func() {
		select {
		case <-time.After(announceDelay):
			_ = c.reporter.WriteFederation(ctx, s.f)
		case <-deciding.Done():
		}
	})
	return true, nil
}

// unschedulable returns the replicas that the descheduler may move; none unless the Federation enables it.
func unschedulable(f *state.Federation, fed *v1alpha1.Federation) deschedule.Copies {
	if d := fed.Spec.Descheduler; d == nil || !d.Enabled {
		return nil
	}
	return f.Unschedulable(time.Now())
}

// plan makes the plan of a checkout.
func (c *Controller) plan(ctx context.Context, s *scope) (bool, error) {
	var err error
	if s.attempt, err = c.begin(s); err == nil {
		s.pending, err = c.compile(ctx, s)
		s.attempt.Planned()
	}
	if mistake, ok := errors.AsType[mistake](err); ok {
		let := c.reporter.HoldReleases(s.f)
		release := s.f.Reject(s.input, s.checkout.Release(s.fed), mistake.error)
		let()
		before := release.Status
		return false, c.reporter.PutRelease(ctx, s.f, release, func() changes.Changes {
			return s.f.Rejected(s.input, release, before, mistake.error, time.Now())
		})
	}
	return err == nil, err
}

// limitPrune keeps a plan that the prune limits stop: none of it is written to any cluster.
func (c *Controller) limitPrune(ctx context.Context, s *scope) (bool, error) {
	if s.pending.PruneBlock = s.f.PruneBlock(s.pending); s.pending.PruneBlock == nil {
		return true, nil
	}
	return false, c.Park(ctx, s.f, s.pending, nil, nil)
}

// approve keeps a plan that is not approved.
func (c *Controller) approve(ctx context.Context, s *scope) (bool, error) {
	var err error
	if s.approval, err = c.approval(ctx, s); err != nil {
		return false, err
	}
	if s.approval != nil && s.approval.By == "" {
		s.pending.Refused = s.approval.Refused
		return false, c.Park(ctx, s.f, s.pending, s.approval, nil)
	}
	return true, nil
}

// declareClusters writes the Clusters of the plan, their finalizers and their taints to the hub. It is the first write of a commit:
// nothing stops the plan any more.
func (c *Controller) declareClusters(ctx context.Context, s *scope) (bool, error) {
	if s.pending.ChangesClusters {
		present, err := c.present(ctx)
		if err != nil {
			return false, err
		}
		if _, err := c.declare(ctx, s.fed, s.pending.Declared, present, false); err != nil {
			return false, err
		}
	}
	if err := c.addFinalizers(ctx, s.f, s.pending); err != nil {
		return false, err
	}
	c.Taint(s.pending.Taints)
	return true, nil
}

func (c *Controller) activate(ctx context.Context, s *scope) (bool, error) {
	s.activated = true
	return false, c.Activate(ctx, s.f, s.pending, s.approval, s.dryRun)
}

// clusters lists the clusters of the hub, sorted, without those that are being deleted. They are those of the cache, of which a thousand
// take 5 MB: nobody changes them.
func (c *Controller) clusters(ctx context.Context) ([]v1alpha1.Cluster, error) {
	list := &v1alpha1.ClusterList{}
	if err := c.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing clusters: %w", err)
	}
	return byName(remaining(list.Items)), nil
}

// byName sorts clusters: a cache lists them in any order, and the same fleet must have the same key.
func byName(members []v1alpha1.Cluster) []v1alpha1.Cluster {
	slices.SortFunc(members, func(a, b v1alpha1.Cluster) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// remaining returns the clusters that are not being deleted.
func remaining(members []v1alpha1.Cluster) []v1alpha1.Cluster {
	return slices.DeleteFunc(members, func(c v1alpha1.Cluster) bool { return c.DeletionTimestamp != nil })
}

// SecretsOf returns the function that reads the Secrets in the namespace of a Federation.
func (c *Controller) SecretsOf(fed *v1alpha1.Federation) func(context.Context, string) (map[string][]byte, error) {
	return func(ctx context.Context, name string) (map[string][]byte, error) {
		secret := &corev1.Secret{}
		err := c.Secrets.Get(ctx, types.NamespacedName{Namespace: fed.Namespace, Name: name}, secret)
		return secret.Data, err
	}
}

// requestedAt returns the value of the annotation that requests a reconciliation, accord's or Flux's. With both it is the
// later one; accord's, if they are no times.
func requestedAt(obj client.Object) string {
	ours, flux := obj.GetAnnotations()[v1alpha1.RequestedAtAnnotation], obj.GetAnnotations()[meta.ReconcileRequestAnnotation]
	if ours == "" {
		return flux
	}
	a, errA := time.Parse(time.RFC3339Nano, ours)
	b, errB := time.Parse(time.RFC3339Nano, flux)
	if errA == nil && errB == nil && b.After(a) {
		return flux
	}
	return ours
}
