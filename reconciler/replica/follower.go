package replica

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	gosync "sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/rollout"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/sync"
)

const (
	// assignmentRetry is the first retry of an assignment whose digest this replica does not reproduce: it may lack an input that
	// the leader has. lastRetry bounds the back-off.
	assignmentRetry = time.Second
	lastRetry       = time.Minute
)

// Follower executes the assignments of the leader in another replica. It decides nothing: it makes the plan of the commit that a
// Delivery names, and delivers the plan if its digest is the assigned one.
type Follower struct {
	client.Client
	Registry *state.Registry
	Records  store.Store
	Pool     *deliver.Pool
	// Plans fetches, compiles and opens as the leader does.
	Plans *sync.Controller
	Past  *rollout.Past
	// Led has every cluster probed, because the leader does more for those in pull mode than a follower.
	Led func()
	Log *slog.Logger

	// role is held for reading while assignments are executed, and for writing to begin to lead.
	role gosync.RWMutex
}

// Lead makes this replica the leader. It starts from the records on the hub, as after a restart: a follower knows only its own
// assignments.
func (l *Follower) Lead() {
	if !l.Registry.Follower() {
		return
	}
	l.role.Lock()
	defer l.role.Unlock()
	for _, f := range l.Registry.Lead(time.Now()) {
		l.Plans.Forget(f.Key())
	}
	l.Led()
}

// Reconcile executes the assignments of one Federation.
func (l *Follower) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	l.role.RLock()
	defer l.role.RUnlock()
	if !l.Registry.Follower() {
		return ctrl.Result{}, nil
	}
	fed := &v1alpha1.Federation{}
	err := l.Get(ctx, req.NamespacedName, fed)
	switch {
	case apierrors.IsNotFound(err) || err == nil && fed.DeletionTimestamp != nil:
		l.Plans.Forget(req.NamespacedName)
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	assigned, err := l.assigned(ctx, fed)
	if err != nil {
		return ctrl.Result{}, err
	}
	f := l.follow(fed)
	f.KeepAssigned(assigned)
	open := f.Unexecuted(assigned)
	if len(open) == 0 {
		l.Pool.Enqueue(f.Resync(time.Now()))
		return ctrl.Result{}, nil
	}
	defer l.Pool.Planning(f.Key())()
	work, err := l.plan(ctx, f, fed, open)
	if err != nil {
		l.block(f, open, work, err.Error())
		return ctrl.Result{}, err
	}
	if l.execute(ctx, f, work, assigned) {
		return ctrl.Result{}, nil
	}
	lasts := l.block(f, f.Unexecuted(assigned), work, "the plan that this replica makes of "+work.revision+" is not the assigned one")
	return ctrl.Result{RequeueAfter: min(max(lasts, assignmentRetry), lastRetry)}, nil
}

// block reports why assignments are not executed, if that lasts.
func (l *Follower) block(f *state.Federation, open []*v1alpha1.Delivery, work assignedPlan, why string) (lasts time.Duration) {
	lasts, next := f.Block(open, work.inherited, why, time.Now())
	l.Pool.Enqueue(next)
	return lasts
}

// assigned returns the Deliveries of a Federation to the clusters that this replica owns, by cluster.
func (l *Follower) assigned(ctx context.Context, fed *v1alpha1.Federation) (map[string]*v1alpha1.Delivery, error) {
	var all v1alpha1.DeliveryList
	if err := l.List(ctx, &all, client.InNamespace(fed.Namespace), client.MatchingLabels{v1alpha1.FederationLabel: fed.Name}); err != nil {
		return nil, fmt.Errorf("reading the assignments of %s/%s: %w", fed.Namespace, fed.Name, err)
	}
	assigned := map[string]*v1alpha1.Delivery{}
	for i := range all.Items {
		if d := &all.Items[i]; l.Registry.Owns(d.Spec.Cluster) && d.DeletionTimestamp == nil {
			assigned[d.Spec.Cluster] = d
		}
	}
	return assigned, nil
}

// follow returns a Federation that another replica plans.
func (l *Follower) follow(fed *v1alpha1.Federation) *state.Federation {
	key := client.ObjectKeyFromObject(fed)
	if f := l.Registry.Federation(key); f != nil {
		before := f.Spec()
		if f.Declare(fed) {
			if !equality.Semantic.DeepEqual(before, fed.Spec) { // resumed, or pruned differently
				f.ExecuteAgain()
			}
			return f
		}
	}
	l.Plans.Forget(key)
	return l.Plans.Follow(fed)
}

// execute activates a plan on the assigned clusters. It returns false if the plan is not the assigned one of some cluster:
// that cluster keeps its objects.
func (l *Follower) execute(ctx context.Context, f *state.Federation, work assignedPlan, assigned map[string]*v1alpha1.Delivery) (complete bool) {
	activated := f.Activate(activation.Request{
		Plan: work.plan, Revision: work.revision, AllowPrune: work.allowPrune,
		Assigned: &activation.Assigned{Deliveries: assigned, Turns: l.turns(ctx, f, work, assigned), Inherited: work.inherited},
	}, time.Now())
	if activated.Relist {
		l.Pool.Relist(f)
	}
	l.Pool.Enqueue(activated.Changes)
	return activated.Complete
}

// turns returns the turns that the leader decided, by cluster and rollout.
func (l *Follower) turns(ctx context.Context, f *state.Federation, work assignedPlan, assigned map[string]*v1alpha1.Delivery) map[string]map[string]staged.Assignment {
	plan := work.plan
	all := map[string]map[string]staged.Assignment{}
	for cluster, d := range assigned {
		all[cluster] = map[string]staged.Assignment{}
		for _, r := range d.Status.Rollouts {
			i := slices.IndexFunc(plan.Rollouts(), func(x *propagate.Rollout) bool { return x.Name() == r.Policy })
			if i < 0 {
				continue
			}
			turn := staged.Assignment{}
			if r.Held || r.Current.Digest != f.RolloutDigest(plan.Rollouts()[i], cluster) { // the decision may be about the commit before
				turn.Held = staged.Undecided
			}
			switch {
			case r.RollbackTo != nil:
				turn.RollbackTo = l.restore(ctx, f, plan, cluster, r.Policy, stage.Version(*r.RollbackTo))
			case r.Keeps && turn.Held != "":
				turn.RollbackTo = l.restore(ctx, f, plan, cluster, r.Policy, stage.Version(r.Current))
				turn.Keeps = turn.RollbackTo != nil
			}
			var err error
			if turn.Moved, err = l.Past.Moved(ctx, f, plan, work.revision, r.MovedRevision); err != nil {
				l.Log.Warn("cannot restore the version of evicted objects", "federation", f.Key(), "cluster", cluster, "revision", r.MovedRevision, "error", err)
			}
			all[cluster][r.Policy] = turn
		}
	}
	return all
}

// restore returns the plan that has an older version; nil if the version cannot be restored, and then the cluster is held.
func (l *Follower) restore(ctx context.Context, f *state.Federation, active *propagate.Plan, cluster, rollout string, version stage.Version) *propagate.Plan {
	plan, err := l.Past.Plan(ctx, f, active, rollout, cluster, version)
	if err != nil {
		l.Log.Warn("cannot restore an older version", "federation", f.Key(), "cluster", cluster, "revision", version.Revision, "error", err)
		return nil
	}
	return plan
}

// assignedPlan is the plan of a commit that this replica has assignments for.
type assignedPlan struct {
	revision   string
	plan       *propagate.Plan
	allowPrune bool
	// inherited has what the previous owners of new clusters recorded; nil if no cluster is new.
	inherited *delivery.Inherited
}

// plan returns the plan of some assignments: the active plan if it is theirs, because its deliveries then continue.
func (l *Follower) plan(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation, open []*v1alpha1.Delivery) (assignedPlan, error) {
	var work assignedPlan
	if f.HasNew(open) {
		var err error
		if work.inherited, err = l.inherited(ctx, fed); err != nil {
			return work, err
		}
	}
	if work.plan, work.revision, work.allowPrune = f.AssignedPlan(open); work.plan != nil {
		return work, nil
	}
	work.revision = delivery.Revision(slices.Values(open))
	err := l.compile(ctx, f, fed, &work)
	return work, err
}

// inherited reads the inventories that the previous owner of each cluster recorded, without a cache.
func (l *Follower) inherited(ctx context.Context, fed *v1alpha1.Federation) (*delivery.Inherited, error) {
	var inventories v1alpha1.InventoryList
	var deliveries v1alpha1.DeliveryList
	var reports v1alpha1.DeliveryReportList
	for _, list := range []client.ObjectList{&inventories, &deliveries, &reports} {
		if err := l.Records.List(ctx, list, fed.Namespace, fed.Name); err != nil {
			return nil, err
		}
	}
	return delivery.NewInherited(deliveries.Items, inventories.Items, reports.Items), nil
}

// compile makes the plan of a commit, as the leader did.
func (l *Follower) compile(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation, work *assignedPlan) error {
	var releases v1alpha1.ReleaseList
	var objects v1alpha1.FederatedObjectList
	for _, list := range []client.ObjectList{&releases, &objects} {
		if err := l.Records.List(ctx, list, fed.Namespace, fed.Name); err != nil {
			return err
		}
	}
	f.SetReleases(releases.Items)
	last := make([]*previous.Decision, len(objects.Items))
	for i := range objects.Items {
		last[i] = previous.From(objects.Items[i].Spec)
	}
	made, err := l.Plans.PlanRecorded(ctx, sync.Recorded{
		Federation: fed, Releases: releases.Items, Revision: work.revision, Builds: l.Plans.Builds(f.Key()), After: f.Plan(),
		Input: func(checkout sync.Checkout, parts decode.Parts) (propagate.Input, error) {
			members, err := l.Plans.Fleet(ctx, fed)
			in := checkout.Input(fed, parts, l.Pool.Inform(members), last)
			in.Evictions = eviction.Recorded(objects.Items)
			return in, err
		},
	})
	work.plan, work.allowPrune = made.Plan, made.AllowPrune
	return err
}
