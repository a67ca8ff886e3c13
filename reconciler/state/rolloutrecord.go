package state

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/rolloutrecord"
)

// RememberRollouts takes over the state of a decision. The caller writes the Deliveries of d.Changed
// before it acts, and the Federation if federation is true; the rest is written in its own time. It returns false if
// another plan is active by now.
func (f *Federation) RememberRollouts(d *rolloutrecord.Decision) (federation bool, c changes.Changes, current bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != d.Plan {
		return false, c, false
	}
	s := &f.rollouts
	s.dependencies = f.dependenciesAfter(d)
	s.hub = nil
	for name, o := range d.Outcomes {
		s.hub = append(s.hub, rolloutrecord.FromState(name, o.State))
	}
	rolloutrecord.ByPolicy(s.hub, func(r v1alpha1.RolloutState) string { return r.Policy })
	for _, name := range f.names() {
		l := f.clusters[name]
		next := d.Memories(name, s.dependencies[name])
		if equality.Semantic.DeepEqual(l.Delivery.Status.Rollouts, next) {
			continue
		}
		l.Delivery.Status.Rollouts, l.StatusDirty = next, true
		c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: name, Write: true}, Interval: changes.DeliveryInterval})
	}
	return !equality.Semantic.DeepEqual(s.hub, f.declared.object.Status.Rollouts), c, true
}

// dependenciesAfter returns, by cluster and rollout, the objects that came for the sake of others with the version that
// the cluster was updated to.
func (f *Federation) dependenciesAfter(d *rolloutrecord.Decision) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for _, r := range f.active.plan.Rollouts() {
		for name, m := range d.Outcomes[r.Name()].State.Clusters {
			entries := f.rollouts.dependencies[name][r.Name()]
			if m.Current.Digest == f.fingerprints.Rollout(r, name) {
				entries = delivery.Union(entries, rolloutrecord.Entries(r.Dependencies(name)))
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
	if l == nil || !l.Listed {
		return entries
	}
	wanted := rolloutrecord.Entries(r.Dependencies(cluster))
	return slices.DeleteFunc(slices.Clone(entries), func(entry string) bool {
		id, err := manifest.ParseEntry(entry)
		_, there := l.Live.Get(id)
		return err != nil || !there && !slices.Contains(wanted, entry)
	})
}

// recallRollouts reads the state that the process before this one stored.
func (f *Federation) recallRollouts() {
	s := &f.rollouts
	s.states, s.dependencies = map[string]stage.State{}, map[string]map[string][]string{}
	s.hub = f.declared.object.Status.Rollouts
	for _, r := range s.hub {
		state := rolloutrecord.ToState(r)
		state.Clusters = map[string]stage.ClusterState{}
		s.states[r.Policy] = state
	}
	for name, l := range f.clusters {
		for _, d := range l.Delivery.Status.Rollouts {
			state, known := s.states[d.Policy]
			if !known {
				state.Clusters = map[string]stage.ClusterState{}
			}
			state.Clusters[name] = rolloutrecord.ToCluster(d)
			s.states[d.Policy] = state
			if s.dependencies[name] == nil {
				s.dependencies[name] = map[string][]string{}
			}
			s.dependencies[name][d.Policy] = d.Dependencies
		}
	}
}

// rolloutStates returns the states for the status of the Federation.
func (f *Federation) rolloutStates() []v1alpha1.RolloutState {
	if f.rollouts.startedAt.IsZero() { // the state of the process before this one was not read yet
		return f.declared.object.Status.Rollouts
	}
	return f.rollouts.hub
}

// forgetRollouts drops the state of rollouts: there is no RolloutPolicy any more.
func (f *Federation) forgetRollouts() {
	s := &f.rollouts
	s.states, s.dependencies, s.hub = nil, nil, nil
	for _, l := range f.clusters {
		if l.Delivery.Status.Rollouts != nil {
			l.Delivery.Status.Rollouts, l.StatusDirty = nil, true
		}
	}
}
