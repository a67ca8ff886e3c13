package hubobjects

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/eviction"
)

// Evictions returns the eviction tasks of an object; nil for none.
func (r *Records) Evictions(id manifest.ID) []v1alpha1.GracefulEvictionTask {
	if o := r.of[id]; o != nil {
		return o.Spec.GracefulEvictionTasks
	}
	return nil
}

// AllEvictions returns the eviction tasks of every object that has any.
func (r *Records) AllEvictions() map[manifest.ID][]v1alpha1.GracefulEvictionTask {
	return r.evictions(func(s v1alpha1.FederatedObjectSpec) []v1alpha1.GracefulEvictionTask { return s.GracefulEvictionTasks })
}

// PossibleEvictions returns the eviction tasks that the recorded decisions may follow, the most probable first: the newest ones, and
// those of the plan before. A process that ends after it wrote tasks leaves the decisions of the plan before them.
func (r *Records) PossibleEvictions() []map[manifest.ID][]v1alpha1.GracefulEvictionTask {
	newest, planned := r.AllEvictions(), r.evictions(planned)
	if len(eviction.Changed(newest, planned)) == 0 {
		return []map[manifest.ID][]v1alpha1.GracefulEvictionTask{newest}
	}
	return []map[manifest.ID][]v1alpha1.GracefulEvictionTask{newest, planned}
}

func (r *Records) evictions(of func(v1alpha1.FederatedObjectSpec) []v1alpha1.GracefulEvictionTask) map[manifest.ID][]v1alpha1.GracefulEvictionTask {
	all := map[manifest.ID][]v1alpha1.GracefulEvictionTask{}
	for id := range r.evicted {
		if tasks := of(r.of[id].Spec); len(tasks) > 0 {
			all[id] = tasks
		}
	}
	return all
}

// planned returns the tasks that a recorded decision follows.
func planned(s v1alpha1.FederatedObjectSpec) []v1alpha1.GracefulEvictionTask {
	if s.PlannedEvictions != nil {
		return s.PlannedEvictions.Tasks
	}
	return s.GracefulEvictionTasks
}

// WithEvictions returns a copy of the record of an object with other tasks, for the decision that it has; nil if the hub does not have
// the record.
func (r *Records) WithEvictions(id manifest.ID, tasks []v1alpha1.GracefulEvictionTask) *v1alpha1.FederatedObject {
	o := r.of[id]
	if o == nil || r.IsDeferred(id) {
		return nil
	}
	o = o.DeepCopy()
	follow := planned(o.Spec)
	o.Spec.GracefulEvictionTasks = tasks
	SetPlanned(&o.Spec, follow)
	return o
}

// SetPlanned records the tasks that the decision of a record follows.
func SetPlanned(s *v1alpha1.FederatedObjectSpec, tasks []v1alpha1.GracefulEvictionTask) {
	s.PlannedEvictions = nil
	if !eviction.Sorted(tasks).Equal(eviction.Sorted(s.GracefulEvictionTasks)) {
		s.PlannedEvictions = &v1alpha1.PlannedEvictions{Tasks: tasks}
	}
}
