package evictions

import (
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/taint"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/hubobjects"
)

// Take remembers the results of a decision that are not tasks. It returns the objects whose status changes.
func (s *State) Take(in failover.Input, out failover.Outcome) (changed []manifest.ID) {
	explained := explain(out)
	for _, o := range in.Objects {
		delete(s.stale, o.ID)
		since, states := out.UnhealthySince[o.ID], explained[o.ID]
		if maps.EqualFunc(s.unhealthy[o.ID], since, time.Time.Equal) && equality.Semantic.DeepEqual(s.explained[o.ID], states) {
			continue
		}
		changed = append(changed, o.ID)
		s.unhealthy, s.explained = with(s.unhealthy, o.ID, since, len(since) > 0), with(s.explained, o.ID, states, len(states) > 0)
	}
	return changed
}

// with returns a map with the value of an object, or without it.
func with[V any](all map[manifest.ID]V, id manifest.ID, value V, keep bool) map[manifest.ID]V {
	switch {
	case !keep:
		delete(all, id)
	case all == nil:
		all = map[manifest.ID]V{id: value}
	default:
		all[id] = value
	}
	return all
}

// explain returns the open and the blocked evictions of each object, sorted by cluster.
func explain(out failover.Outcome) map[manifest.ID][]v1alpha1.EvictionState {
	all := map[manifest.ID][]v1alpha1.EvictionState{}
	for _, w := range out.Waiting {
		x := v1alpha1.EvictionState{Cluster: w.Cluster, Phase: v1alpha1.EvictionOpen, Message: w.Message}
		if !w.Deadline.IsZero() {
			x.Deadline = &metav1.Time{Time: w.Deadline.UTC().Truncate(time.Second)}
		}
		all[w.ID] = append(all[w.ID], x)
	}
	for _, b := range out.Blocked {
		all[b.ID] = append(all[b.ID], v1alpha1.EvictionState{Cluster: b.Cluster, Phase: v1alpha1.EvictionBlocked, Message: b.Message})
	}
	for _, states := range all {
		slices.SortFunc(states, func(a, b v1alpha1.EvictionState) int { return strings.Compare(a.Cluster, b.Cluster) })
	}
	return all
}

// Written counts the changes of tasks that the hub has, and adds their events.
func (s *State) Written(c *changes.Changes, objects *hubobjects.Records, in failover.Input, out failover.Outcome) {
	addEvents(c, objects, out)
	for _, e := range out.Events {
		switch key := (task{e.ID, e.Cluster}); e.Kind {
		case failover.ClusterEvicting:
			if s.recovering == nil {
				s.recovering = map[task]time.Time{}
			}
			for _, t := range out.Tasks[e.ID] {
				if t.FromCluster == e.Cluster {
					s.Counts.Begin(t.Reason)
					s.recovering[key] = failedAt(in, e.ID, t)
				}
			}
		case failover.EvictionCancelled:
			delete(s.recovering, key)
		}
	}
}

// recover records the tasks whose replacements are all healthy for the first time.
func (s *State) recover(o failover.Object, now time.Time) {
	for _, t := range o.Tasks {
		key := task{o.ID, t.FromCluster}
		since, known := s.recovering[key]
		if known && replaced(o, t.FromCluster) {
			s.Counts.Recovery.Observe(now.Sub(since))
			delete(s.recovering, key)
		}
	}
}

// replaced reports whether an object left a cluster and is healthy on all others.
func replaced(o failover.Object, from string) bool {
	healthy := map[string]bool{}
	for _, c := range o.Copies {
		healthy[c.Cluster] = c.Health == failover.Healthy && c.Current
	}
	for _, c := range o.Choice {
		if c.Name == from || !healthy[c.Name] {
			return false
		}
	}
	return len(o.Choice) > 0
}

// failedAt returns the time of the failure that a task answers: of the oldest automatic taint of its cluster, the time since which the
// copy was unhealthy, or its own time.
func failedAt(in failover.Input, id manifest.ID, t v1alpha1.GracefulEvictionTask) time.Time {
	at := t.CreationTimestamp.Time
	for _, o := range in.Objects {
		if since, unhealthy := o.UnhealthySince[t.FromCluster]; unhealthy && o.ID == id && t.Producer == failover.ApplicationFailover {
			return since
		}
	}
	for _, c := range in.Clusters {
		for _, x := range c.Taints {
			if c.Name == t.FromCluster && t.Producer == failover.TaintManager && taint.IsAutomatic(x.Key) && x.TimeAdded != nil && x.TimeAdded.Time.Before(at) {
				at = x.TimeAdded.Time
			}
		}
	}
	return at
}

// addEvents adds the events of a decision about the FederatedObjects.
func addEvents(c *changes.Changes, objects *hubobjects.Records, out failover.Outcome) {
	for _, e := range out.Events {
		kind := changes.Normal
		if e.Kind == failover.ClusterEvicting {
			kind = changes.Warning
		}
		if o := objects.Of(e.ID); o != nil {
			c.Event(o.DeepCopy(), kind, string(e.Kind), e.Message)
		}
	}
}

// Lifted returns recorded tasks with suppressDeletion: false where a person lifted it on the hub; nil if nobody did.
func Lifted(recorded, onHub []v1alpha1.GracefulEvictionTask) []v1alpha1.GracefulEvictionTask {
	recorded, lifted := slices.Clone(recorded), false
	for i := range recorded {
		for _, t := range onHub {
			if t.FromCluster == recorded[i].FromCluster && recorded[i].Open() && ptr.Deref(recorded[i].SuppressDeletion, false) && !ptr.Deref(t.SuppressDeletion, true) {
				recorded[i].SuppressDeletion, lifted = ptr.To(false), true
			}
		}
	}
	if !lifted {
		return nil
	}
	return recorded
}

// Figures returns the figures for metrics.
func (s *State) Figures(objects *hubobjects.Records) counts.Failover {
	x := s.Counts.Clone()
	for _, tasks := range objects.AllEvictions() {
		for _, t := range tasks {
			if t.Open() {
				x.Open++
			}
		}
	}
	return x
}
