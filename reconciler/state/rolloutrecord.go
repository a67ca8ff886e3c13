package state

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

// RememberRollouts takes over what has to be remembered of a decision. The caller writes the Deliveries of d.Changed
// before it acts, and the Federation if federation is true; the rest is written in its own time. It returns false if
// another plan is active by now.
func (f *Federation) RememberRollouts(d *RolloutDecision) (federation bool, c Changes, current bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != d.Plan {
		return false, c, false
	}
	s := &f.rollouts
	s.dependencies = f.dependenciesAfter(d)
	s.hub = nil
	for name, o := range d.Outcomes {
		s.hub = append(s.hub, stateOnHub(name, o.State))
	}
	byPolicy(s.hub, func(r v1alpha1.RolloutState) string { return r.Policy })
	for _, name := range f.names() {
		l := f.clusters[name]
		next := d.memories(name, s.dependencies[name])
		if equality.Semantic.DeepEqual(l.delivery.Status.Rollouts, next) {
			continue
		}
		l.delivery.Status.Rollouts, l.statusDirty = next, true
		f.writeDelivery(&c, name, deliveryInterval)
	}
	return !equality.Semantic.DeepEqual(s.hub, f.declared.object.Status.Rollouts), c, true
}

// memories returns what the Delivery to a cluster remembers of its rollouts.
func (d *RolloutDecision) memories(cluster string, dependencies map[string][]string) []v1alpha1.DeliveryRollout {
	var all []v1alpha1.DeliveryRollout
	for name, o := range d.Outcomes {
		m, known := o.State.Clusters[cluster]
		if !known {
			continue
		}
		r := memoryOnHub(name, m)
		r.Dependencies = dependencies[name]
		for _, x := range o.Decisions {
			if x.Cluster == cluster {
				r.Stage, r.Held = x.Stage, x.Held != ""
				if x.RollbackTo != nil {
					restored := v1alpha1.RolloutVersion(*x.RollbackTo)
					r.RollbackTo = &restored
				}
			}
		}
		all = append(all, r)
	}
	return byPolicy(all, func(d v1alpha1.DeliveryRollout) string { return d.Policy })
}

// dependenciesAfter returns, by cluster and rollout, the objects that came for the sake of others with the version that
// the cluster was updated to.
func (f *Federation) dependenciesAfter(d *RolloutDecision) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for _, r := range f.active.plan.Rollouts() {
		for name, m := range d.Outcomes[r.Name()].State.Clusters {
			entries := f.rollouts.dependencies[name][r.Name()]
			if m.Current.Digest == f.fingerprints.Rollout(r, name) {
				entries = union(entries, entriesOf(r.Dependencies(name)))
			}
			if len(entries) == 0 {
				continue
			}
			if all[name] == nil {
				all[name] = map[string][]string{}
			}
			all[name][r.Name()] = f.remaining(name, r, entries)
		}
	}
	return all
}

// remaining returns the entries of objects that are on the cluster, or wanted there; all entries until the cluster was
// listed.
func (f *Federation) remaining(cluster string, r *propagate.Rollout, entries []string) []string {
	l := f.clusters[cluster]
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

// recallRollouts reads what the process before this one remembered.
func (f *Federation) recallRollouts() {
	s := &f.rollouts
	s.states, s.dependencies = map[string]stage.State{}, map[string]map[string][]string{}
	s.hub = f.declared.object.Status.Rollouts
	for _, r := range s.hub {
		state := stateFromHub(r)
		state.Clusters = map[string]stage.ClusterState{}
		s.states[r.Policy] = state
	}
	for name, l := range f.clusters {
		for _, d := range l.delivery.Status.Rollouts {
			state, known := s.states[d.Policy]
			if !known {
				state.Clusters = map[string]stage.ClusterState{}
			}
			state.Clusters[name] = memoryFromHub(d)
			s.states[d.Policy] = state
			if s.dependencies[name] == nil {
				s.dependencies[name] = map[string][]string{}
			}
			s.dependencies[name][d.Policy] = d.Dependencies
		}
	}
}

// rolloutStates returns what the status of the Federation is to have.
func (f *Federation) rolloutStates() []v1alpha1.RolloutState {
	if f.rollouts.startedAt.IsZero() { // what the process before this one remembered was not read yet
		return f.declared.object.Status.Rollouts
	}
	return f.rollouts.hub
}

// forgetRollouts drops what is remembered: there is no RolloutPolicy any more.
func (f *Federation) forgetRollouts() {
	s := &f.rollouts
	s.states, s.dependencies, s.hub = nil, nil, nil
	for _, l := range f.clusters {
		if l.delivery.Status.Rollouts != nil {
			l.delivery.Status.Rollouts, l.statusDirty = nil, true
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

// micro returns a time as the hub keeps it; remembered times are no finer.
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
