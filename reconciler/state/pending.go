package state

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/status"
)

// PendingPlan returns the plan that is pending; nil if there is none, or if the Federation changed since it was made.
func (f *Federation) PendingPlan(generation int64) *activation.Pending {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.newest.pending; p != nil && p.Input.Generation == generation {
		return p
	}
	return nil
}

// ChangesNothing reports whether the plan has the last decision about the objects of every cluster. After a restart it compares with the records on
// the hub.
func (f *Federation) ChangesNothing(plan *propagate.Plan) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != nil && f.active.plan.Digest() == plan.Digest() {
		return true
	}
	for _, c := range plan.Clusters() {
		if f.changes(c, plan) {
			return false
		}
	}
	return true
}

// ChangesControl reports whether a plan has other control manifests than the last one. After a restart it compares with the records.
func (f *Federation) ChangesControl(plan *propagate.Plan) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return delivery.ControlChanged(f.active.plan, f.clusters, plan)
}

// ChangedClusters returns the clusters that a plan changes, in the order of the plan.
func (f *Federation) ChangedClusters(plan *propagate.Plan) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var changed []string
	for _, c := range plan.Clusters() {
		if f.changes(c, plan) {
			changed = append(changed, c)
		}
	}
	return changed
}

// UsedClusters returns the clusters of a plan that have objects of the Federation, or get some.
func (f *Federation) UsedClusters(plan *propagate.Plan) map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	used := map[string]bool{}
	for _, c := range plan.Clusters() {
		used[c] = !f.unused(c, plan)
	}
	return used
}

func (f *Federation) changes(cluster string, plan *propagate.Plan) bool {
	return !f.unused(cluster, plan) && !f.same(cluster, plan)
}

// unused reports whether a cluster neither has nor gets objects of the Federation.
func (f *Federation) unused(cluster string, plan *propagate.Plan) bool {
	target, l := plan.ForCluster(cluster), f.clusters[cluster]
	return len(target.Objects)+len(target.Failed) == 0 && (l == nil || l.Idle())
}

// same reports whether a plan decides the same for a cluster as was decided last.
func (f *Federation) same(cluster string, plan *propagate.Plan) bool {
	l := f.clusters[cluster]
	return l != nil && l.Delivery.Spec.Digest == f.fingerprints.Cluster(plan, cluster)
}

// DryRunNeedless returns why a plan need not be tried: it passed before, which the hub knows after a restart, or it
// changes nothing. It returns nil if the plan has to be tried.
func (f *Federation) DryRunNeedless(p *activation.Pending) *status.Preflight {
	if passed := f.passedBefore(p); passed != nil {
		return passed
	}
	if f.ChangesNothing(p.Plan) {
		return &status.Preflight{Passed: "nothing changes on any cluster"}
	}
	return nil
}

func (f *Federation) passedBefore(p *activation.Pending) *status.Preflight {
	f.mu.Lock()
	defer f.mu.Unlock()
	newest := f.records.release
	if passed := f.newest.dryRun.Passed(p.Plan); passed != nil && newest != nil && newest.Name == p.Release.Name {
		return passed
	}
	for _, r := range f.releases() {
		if r.Name != p.Release.Name {
			continue
		}
		c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.DryRunSucceeded)
		if c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == r.Generation &&
			r.Spec.PlanDigest == p.Plan.Digest() && r.Status.SupersededBy == "" {
			return &status.Preflight{Passed: c.Message}
		}
	}
	return nil
}

// releases returns all Releases, newest first.
func (f *Federation) releases() []*v1alpha1.Release {
	var all []*v1alpha1.Release
	if f.records.release != nil {
		all = append(all, f.records.release)
	}
	for i := range f.records.older {
		all = append(all, &f.records.older[i])
	}
	return all
}

// RejectedLast returns the objects of the same plan that clusters rejected the last time; nil if it was not tried before.
func (f *Federation) RejectedLast(p *activation.Pending) map[string]map[manifest.ID]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest.dryRun.RejectedLast(p.Plan)
}

// DryRunRejected records the objects of a plan that clusters rejected, and the time of the retry. requested is the value that the
// annotation that requests a reconciliation had then.
func (f *Federation) DryRunRejected(digest string, rejected map[string]map[manifest.ID]bool, requested string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest.dryRun.Reject(digest, rejected, requested, now)
}

// DryRunDue reports whether a pending plan is to be tried now.
func (f *Federation) DryRunDue(requested string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest.dryRun.Due(requested, now)
}

// DryRunRetry returns how soon a rejected plan is tried again; zero if there is none.
func (f *Federation) DryRunRetry(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest.pending == nil {
		return 0
	}
	return f.newest.dryRun.Retry(now)
}

// DryRunTarget returns the objects that a plan wants on a cluster with the known live objects and the difference between both. Live
// is nil if the cluster has to be listed: the report of another replica does not contain everything.
func (f *Federation) DryRunTarget(target propagate.ClusterPlan) (t delivery.Trial) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t.Target = target
	l := f.clusters[target.Cluster]
	if l == nil {
		return t
	}
	if l.Listed && l.Report == nil {
		t.Live, t.Difference = l.Live.Clone(), l.Difference(t.Target)
	}
	t.Inventory, _ = f.shared.inventory.Parse(l.Inventory()) // an unreadable inventory fails the delivery, which reports it
	return t
}

// NotWaitedFor returns the clusters that no dry-run has waited for.
func (f *Federation) NotWaitedFor(clusters []string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest.dryRun.NotWaitedFor(clusters)
}

// WaitedFor records that a dry-run has waited for clusters: each is waited for once.
func (f *Federation) WaitedFor(clusters []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest.dryRun.WaitedFor(clusters)
}

// pendingClusters returns the state of the clusters that a pending plan is for. A cluster that the plan does not change
// keeps its state; any other is held, or waits for the dry-run. Without an active plan nothing is known of any.
func (f *Federation) pendingClusters(plan *propagate.Plan) []status.DeliveryState {
	var all []status.DeliveryState
	for _, c := range plan.Clusters() {
		switch l := f.clusters[c]; {
		case f.unused(c, plan):
		case f.active.persisted && f.same(c, plan):
			all = append(all, status.NewDeliveryState(c, l.Generation(), l.Delivery.Status))
		case f.newest.pending.PruneBlock != nil:
			all = append(all, f.newest.pending.PruneBlock.DeliveryState(c))
		case f.newest.dryRun.Result != nil:
			all = append(all, f.newest.dryRun.Result.DeliveryState(c))
		default:
			all = append(all, status.DeliveryState{Cluster: c, State: v1alpha1.Held, Reason: status.Held, Message: "the plan is not approved"})
		}
	}
	return all
}
