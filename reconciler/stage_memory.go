package reconciler

import (
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

// rememberStages writes down what has to be remembered of a decision. What leads to a write on a member is on the hub when
// this returns, the rest is written when it is its turn.
func (e *engine) rememberStages(ctx context.Context, f *federation, c course) error {
	f.mu.Lock()
	if f.plan != c.plan {
		f.mu.Unlock()
		return nil
	}
	s := &f.staging
	s.along = c.along(f)
	s.hub = nil
	for name, o := range c.outcomes {
		s.hub = append(s.hub, stateOnHub(name, o.State))
	}
	byPolicy(s.hub, func(r v1alpha1.RolloutState) string { return r.Policy })
	for _, cluster := range f.clusters() {
		l := f.legs[cluster]
		next := c.memories(cluster, s.along[cluster])
		if equality.Semantic.DeepEqual(l.delivery.Status.Rollouts, next) {
			continue
		}
		l.delivery.Status.Rollouts, l.untold = next, true
		e.reporter.add(entry{federation: f.key, cluster: cluster, put: true}, deliveryPace)
	}
	told := equality.Semantic.DeepEqual(s.hub, f.declaration.Status.Rollouts)
	f.mu.Unlock()

	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(ledgerWriters)
	for _, cluster := range c.changed {
		g.Go(func() error {
			return e.reporter.write(ctx, entry{federation: f.key, cluster: cluster, put: true})
		})
	}
	if !told {
		g.Go(func() error { return e.reporter.federation(ctx, f) })
	}
	return g.Wait()
}

// memories are what the Delivery to a cluster says of its rollouts.
func (c course) memories(cluster string, along map[string][]string) []v1alpha1.DeliveryRollout {
	var all []v1alpha1.DeliveryRollout
	for name, o := range c.outcomes {
		m, known := o.State.Clusters[cluster]
		if !known {
			continue
		}
		d := memoryOnHub(name, m)
		d.Dependencies = along[name]
		for _, decision := range o.Decisions {
			if decision.Cluster == cluster {
				d.Stage, d.Held = decision.Stage, decision.Held != ""
				if decision.RollbackTo != nil {
					restored := v1alpha1.RolloutVersion(*decision.RollbackTo)
					d.RollbackTo = &restored
				}
			}
		}
		all = append(all, d)
	}
	return byPolicy(all, func(d v1alpha1.DeliveryRollout) string { return d.Policy })
}

// along are, by cluster and rollout, the objects that came for the sake of others with what the cluster was given. The
// caller holds f.mu.
func (c course) along(f *federation) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for _, r := range f.plan.Rollouts() {
		for cluster, m := range c.outcomes[r.Name()].State.Clusters {
			entries := f.staging.along[cluster][r.Name()]
			if m.Current.Digest == f.fingerprints.Rollout(r, cluster) {
				entries = union(entries, entriesOf(r.Dependencies(cluster)))
			}
			if len(entries) == 0 {
				continue
			}
			if all[cluster] == nil {
				all[cluster] = map[string][]string{}
			}
			all[cluster][r.Name()] = f.still(cluster, r, entries)
		}
	}
	return all
}

// still are the entries of what is on the cluster, or is wanted there; all as long as nobody knows.
func (f *federation) still(cluster string, r *propagate.Rollout, entries []string) []string {
	l := f.legs[cluster]
	if l == nil || !l.listed {
		return entries
	}
	wanted := entriesOf(r.Dependencies(cluster))
	return slices.DeleteFunc(slices.Clone(entries), func(entry string) bool {
		id, err := manifest.ParseEntry(entry)
		_, there := l.live.Get(id)
		return err != nil || !there && !slices.Contains(wanted, entry)
	})
}

func entriesOf(ids []manifest.ID) []string {
	entries := make([]string, len(ids))
	for i, id := range ids {
		entries[i] = id.Entry()
	}
	return entries
}

// union of two lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// recallStages reads what the process before this one remembered. The caller holds f.mu.
func (f *federation) recallStages() {
	s := &f.staging
	s.states, s.along = map[string]stage.State{}, map[string]map[string][]string{}
	s.hub = f.declaration.Status.Rollouts
	for _, r := range s.hub {
		state := stateFromHub(r)
		state.Clusters = map[string]stage.ClusterState{}
		s.states[r.Policy] = state
	}
	for cluster, l := range f.legs {
		for _, d := range l.delivery.Status.Rollouts {
			state, known := s.states[d.Policy]
			if !known {
				state.Clusters = map[string]stage.ClusterState{}
			}
			state.Clusters[cluster] = memoryFromHub(d)
			s.states[d.Policy] = state
			if s.along[cluster] == nil {
				s.along[cluster] = map[string][]string{}
			}
			s.along[cluster][d.Policy] = d.Dependencies
		}
	}
}

// rolloutStates are what the Federation says of its rollouts. The caller holds f.mu.
func (f *federation) rolloutStates() []v1alpha1.RolloutState {
	if f.staging.began.IsZero() { // what the process before this one remembered was not read yet
		return f.declaration.Status.Rollouts
	}
	return f.staging.hub
}

// forgetStages drops what is remembered of rollouts: there is no RolloutPolicy any more. The caller holds f.mu.
func (f *federation) forgetStages() {
	s := &f.staging
	s.states, s.along, s.hub = nil, nil, nil
	for _, l := range f.legs {
		if l.delivery.Status.Rollouts != nil {
			l.delivery.Status.Rollouts, l.untold = nil, true
		}
	}
}

func stateOnHub(name string, s stage.State) v1alpha1.RolloutState {
	r := v1alpha1.RolloutState{
		Policy: name, ID: s.ID, Revision: s.Revision, PolicyDigest: s.PolicyDigest, StartedAt: micro(s.StartedAt), FirstPendingAt: micro(s.FirstPendingAt),
		Stage: s.Stage, StageStartedAt: micro(s.StageStartedAt), CompletedAt: micro(s.CompletedAt), HandledCommands: s.HandledCommands,
	}
	for stage, at := range s.StagesCompletedAt {
		if r.StagesCompletedAt == nil {
			r.StagesCompletedAt = map[string]metav1.MicroTime{}
		}
		r.StagesCompletedAt[stage] = metav1.NewMicroTime(at)
	}
	if x := s.Failure; x != nil {
		r.Failure = &v1alpha1.RolloutFailure{
			At: metav1.NewMicroTime(x.At), Stage: x.Stage, Reason: x.Reason, Message: x.Message, Revision: x.Revision, RolledBack: x.RolledBack, FailedClusters: maps.Clone(x.FailedClusters),
		}
	}
	return r
}

func stateFromHub(r v1alpha1.RolloutState) stage.State {
	s := stage.State{
		ID: r.ID, Revision: r.Revision, PolicyDigest: r.PolicyDigest, StartedAt: exact(r.StartedAt), FirstPendingAt: exact(r.FirstPendingAt),
		Stage: r.Stage, StageStartedAt: exact(r.StageStartedAt), CompletedAt: exact(r.CompletedAt), HandledCommands: r.HandledCommands, StagesCompletedAt: map[string]time.Time{},
	}
	for stage, at := range r.StagesCompletedAt {
		s.StagesCompletedAt[stage] = at.UTC()
	}
	if x := r.Failure; x != nil {
		s.Failure = &stage.Failure{
			At: x.At.UTC(), Stage: x.Stage, Reason: x.Reason, Message: x.Message, Revision: x.Revision, RolledBack: x.RolledBack, FailedClusters: maps.Clone(x.FailedClusters),
		}
	}
	return s
}

func memoryOnHub(name string, m stage.ClusterState) v1alpha1.DeliveryRollout {
	d := v1alpha1.DeliveryRollout{
		Policy: name, Current: v1alpha1.RolloutVersion(m.Current), UpdatedAt: micro(m.UpdatedAt), HealthySince: micro(m.HealthySince), UnhealthySince: micro(m.UnhealthySince),
		GatePassedAt: micro(m.GatePassedAt), StageCompleted: m.StageCompleted, UnavailableSince: micro(m.UnavailableSince),
	}
	if m.LastHealthy != nil {
		good := v1alpha1.RolloutVersion(*m.LastHealthy)
		d.LastHealthy = &good
	}
	return d
}

func memoryFromHub(d v1alpha1.DeliveryRollout) stage.ClusterState {
	m := stage.ClusterState{
		Current: stage.Version(d.Current), UpdatedAt: exact(d.UpdatedAt), HealthySince: exact(d.HealthySince), UnhealthySince: exact(d.UnhealthySince),
		GatePassedAt: exact(d.GatePassedAt), StageCompleted: d.StageCompleted, UnavailableSince: exact(d.UnavailableSince),
	}
	if d.LastHealthy != nil {
		good := stage.Version(*d.LastHealthy)
		m.LastHealthy = &good
	}
	return m
}

// micro is a time as the hub keeps it; what is remembered has no finer ones.
func micro(t time.Time) *metav1.MicroTime {
	if t.IsZero() {
		return nil
	}
	m := metav1.NewMicroTime(t)
	return &m
}

func exact(m *metav1.MicroTime) time.Time {
	if m == nil {
		return time.Time{}
	}
	return m.UTC()
}
