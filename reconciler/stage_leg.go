package reconciler

import (
	"iter"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/status"
)

// restage begins with the plan that comes into force: a cluster that was given what is wanted goes on, any other waits until
// it is decided whose turn it is. The caller holds f.mu.
func (f *federation) restage() {
	s := &f.staging
	if s.began.IsZero() {
		s.began = time.Now()
		f.recallStages()
	}
	s.seen, s.turns, s.told, s.past = map[string]map[string]seen{}, map[string]map[string]propagate.StageAssignment{}, nil, nil
	rollouts := f.plan.Rollouts()
	if len(rollouts) == 0 {
		f.forgetStages()
		return
	}
	for _, r := range rollouts {
		before := s.states[r.Name()].Clusters
		for _, cluster := range r.Clusters {
			if s.turns[cluster] == nil {
				s.turns[cluster] = map[string]propagate.StageAssignment{}
			}
			turn := propagate.StageAssignment{Held: propagate.UndecidedStage}
			if m, known := before[cluster]; known && m.Current.Digest == f.fingerprints.Rollout(r, cluster) {
				turn.Held = ""
			}
			s.turns[cluster][r.Name()] = turn
		}
		if len(r.Clusters) > 0 {
			s.told = append(s.told, undecided(r))
		}
	}
	if !f.starting { // the ledger has what was said of this plan, and it may still be true
		s.told = f.release.Status.Rollouts
	}
}

// undecided is what is told of a rollout before the first decision about it.
func undecided(r *propagate.Rollout) v1alpha1.RolloutStatus {
	return v1alpha1.RolloutStatus{
		Policy: r.Name(), Phase: string(stage.Rolling), Reason: string(stage.Rolling), Message: "its clusters are about to be asked what they run",
		WaitingFor: &v1alpha1.WaitingFor{Message: "a decision whose turn it is", Since: status.Time(time.Now())},
	}
}

// waits says that stages keep their hands off something on a cluster: that is told of the Release. The caller holds f.mu.
func (f *federation) waits(cluster string) bool {
	for _, turn := range f.staging.turns[cluster] {
		if turn.Held != "" {
			return true
		}
	}
	return false
}

// staged is what a cluster gets now; nil when there are no rollouts. The caller holds f.mu.
func (f *federation) staged(l *leg) *propagate.StagedPlan {
	if len(f.plan.Rollouts()) == 0 {
		return nil
	}
	s := f.plan.Stage(l.cluster, f.staging.turns[l.cluster], f.alongOn(l.cluster), l.there())
	return &s
}

// there are the objects on the cluster, with their labels.
func (l *leg) there() iter.Seq2[manifest.ID, map[string]string] {
	return func(yield func(manifest.ID, map[string]string) bool) {
		for id, seen := range l.live.All() {
			if !yield(id, seen.Labels) {
				return
			}
		}
	}
}

// alongOn are the objects on a cluster that are there for the sake of others, with the rollout that they came with.
func (f *federation) alongOn(cluster string) map[manifest.ID]string {
	all := map[manifest.ID]string{}
	for name, entries := range f.staging.along[cluster] {
		for _, entry := range entries {
			if id, err := manifest.ParseEntry(entry); err == nil {
				all[id] = name
			}
		}
	}
	return all
}

// stage has a leg bring its cluster what the plan in force and the stages of its rollouts say. The caller holds f.mu.
func (f *federation) stage(l *leg) {
	s := f.staged(l)
	if s == nil {
		l.adopt(f.plan.ForCluster(l.cluster))
		return
	}
	l.adopt(s.ClusterPlan())
	f.notePlanned(l)
}

// retext takes over why something is held, where nothing else changed: what is under way goes on. The caller holds f.mu.
func (f *federation) retext(l *leg) {
	s := f.staged(l)
	if s == nil {
		return
	}
	l.target = s.ClusterPlan()
	for _, p := range l.target.Objects {
		w := l.wants.of(p.ID)
		w.held = p.Held
		l.wants.set(p.ID, w)
	}
	for _, x := range l.target.Failed {
		w := l.wants.of(x.ID)
		w.held = x.Held
		l.wants.set(x.ID, w)
	}
	f.notePlanned(l)
}

// notePlanned notes what the plan wants where an older version is given back: that is what status is judged by. The
// caller holds f.mu.
func (f *federation) notePlanned(l *leg) {
	for name, turn := range f.staging.turns[l.cluster] {
		if turn.RollbackTo == nil {
			continue
		}
		for _, p := range l.target.Objects {
			if r := turn.RollbackTo.Rollout(l.cluster, p.ID, nil); r != nil && r.Name() == name {
				f.plannedAs(l, p.ID, want{held: turn.Held})
			}
		}
		whole := f.plan.ForCluster(l.cluster)
		for _, p := range whole.Objects {
			if r := f.plan.Rollout(l.cluster, p.ID, nil); r != nil && r.Name() == name {
				f.plannedAs(l, p.ID, want{digest: p.Digest, held: turn.Held, object: p.Rendered, implied: p.Implied})
			}
		}
		for _, x := range whole.Failed {
			if r := f.plan.Rollout(l.cluster, x.ID, nil); r != nil && r.Name() == name {
				f.plannedAs(l, x.ID, want{held: turn.Held, err: x.Err.Error()})
			}
		}
	}
}

func (f *federation) plannedAs(l *leg, id manifest.ID, planned want) {
	w := l.wants.of(id)
	w.planned = &planned
	l.wants.set(id, w)
}

// withdraw says why what is there and not wanted stays.
func (j job) withdraw(cluster string) func(manifest.ID, map[string]string) string {
	if j.staged != nil {
		return j.staged.KeepReason
	}
	return func(id manifest.ID, labels map[string]string) string { return j.plan.KeepReason(cluster, id, labels) }
}

// releasedAt is when the next hold of a cluster ends by itself; zero when none does.
func (f *federation) releasedAt(now time.Time) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan == nil {
		return time.Time{}
	}
	var next time.Time
	for _, c := range f.plan.Fleet() {
		if c.Hold != nil && c.Hold.Until != nil && c.Hold.In(now) && (next.IsZero() || c.Hold.Until.Time.Before(next)) {
			next = c.Hold.Until.Time
		}
	}
	return next
}

// heldAt are the names of the clusters that are held at a time: a plan for them is another one when a hold ends.
func heldAt(members []v1alpha1.Cluster, now time.Time) string {
	var held []string
	for _, m := range members {
		if m.Spec.Hold.In(now) {
			held = append(held, m.Name)
		}
	}
	slices.Sort(held)
	if len(held) == 0 {
		return ""
	}
	return digestOf(held)
}

// stageEntry is the look at the rollouts of a federation.
func stageEntry(key types.NamespacedName) entry { return entry{federation: key, stages: true} }
