// Package rolloutrecord holds decisions about rollouts, and converts them to the records on the hub and back.
package rolloutrecord

import (
	"cmp"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/status"
)

// Decision is one decision about the rollouts of a Federation. It is made, written to the hub, and then acted on.
type Decision struct {
	Plan     *propagate.Plan
	Revision string
	Outcomes map[string]stage.Outcome // by name of the rollout
	// Turns by cluster and rollout.
	Turns map[string]map[string]staged.Assignment
	// Changed are the clusters that get something new: their Deliveries are written before they do.
	Changed []string
	// Again is the time at which the next decision is due; zero for not before a change.
	Again time.Time
}

// Take adds the outcome of one rollout.
func (d *Decision) Take(name string, o stage.Outcome) {
	d.Outcomes[name] = o
	d.DecideAgain(o.RequeueAt)
	for _, x := range o.Decisions {
		d.SetTurn(x.Cluster, name, staged.Assignment{Held: x.Held})
		if x.Changed && !slices.Contains(d.Changed, x.Cluster) {
			d.Changed = append(d.Changed, x.Cluster)
		}
	}
}

// SetTurn sets the assigned version of a cluster in a rollout.
func (d *Decision) SetTurn(cluster, rollout string, turn staged.Assignment) {
	if d.Turns[cluster] == nil {
		d.Turns[cluster] = map[string]staged.Assignment{}
	}
	d.Turns[cluster][rollout] = turn
}

// MovedRevision returns the revision of the objects that evictions bring to a cluster before its turn; empty for none.
func (d *Decision) MovedRevision(rollout string, x stage.Decision) string {
	return staged.MovedRevision(d.Plan, rollout, x, d.Outcomes[rollout].State, d.Revision)
}

// DecideAgain requests the next decision at a time, if that is earlier than the one requested so far.
func (d *Decision) DecideAgain(at time.Time) {
	if !at.IsZero() && (d.Again.IsZero() || at.Before(d.Again)) {
		d.Again = at
	}
}

// Statuses returns the statuses of the rollouts for the Release.
func (d *Decision) Statuses() []v1alpha1.RolloutStatus {
	var all []v1alpha1.RolloutStatus
	for _, name := range slices.Sorted(maps.Keys(d.Outcomes)) {
		all = append(all, rolloutStatus(name, d.Outcomes[name]))
	}
	return all
}

func rolloutStatus(name string, o stage.Outcome) v1alpha1.RolloutStatus {
	r := v1alpha1.RolloutStatus{
		Policy: name, ID: o.ID, Phase: string(o.Phase), Reason: o.Reason, Message: o.Message, Terminal: o.State.Failure != nil,
		Stage: o.Stage, StageIndex: int32(o.StageIndex), StartedAt: status.Time(o.State.StartedAt), CompletedAt: status.Time(o.State.CompletedAt), OutdatedClusters: o.OutdatedClusters,
	}
	for _, s := range o.Stages {
		r.Stages = append(r.Stages, v1alpha1.StageStatus{
			Name: s.Name, Clusters: int32(s.Clusters), UpdatedClusters: int32(s.Updated), Healthy: int32(s.Healthy), Failing: int32(s.Failing), Held: int32(s.Held),
			Unreachable: int32(s.Unreachable), StartedAt: status.Time(s.StartedAt), CompletedAt: status.Time(s.CompletedAt), Message: s.Message,
		})
	}
	if w := o.WaitingFor; w != nil {
		r.WaitingFor = &v1alpha1.WaitingFor{Cluster: w.Cluster, Stage: w.Stage, Message: w.Message, Since: status.Time(w.Since), Deadline: status.Time(w.Deadline)}
	}
	for _, d := range o.Decisions {
		if d.RollbackTo != nil && d.RollbackTo.Revision != "" && !slices.Contains(r.RollbackRevisions, d.RollbackTo.Revision) {
			r.RollbackRevisions = append(r.RollbackRevisions, d.RollbackTo.Revision)
		}
	}
	slices.Sort(r.RollbackRevisions)
	return r
}

// ByPolicy sorts reports about rollouts.
func ByPolicy[T any](list []T, name func(T) string) []T {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return list
}

// Memories returns the states of rollouts that the Delivery to a cluster stores.
func (d *Decision) Memories(cluster string, dependencies map[string][]string) []v1alpha1.DeliveryRollout {
	var all []v1alpha1.DeliveryRollout
	for name, o := range d.Outcomes {
		m, known := o.State.Clusters[cluster]
		if !known {
			continue
		}
		r := FromCluster(name, m)
		r.Dependencies = dependencies[name]
		for _, x := range o.Decisions {
			if x.Cluster == cluster {
				r.Stage, r.Held, r.Keeps = x.Stage, x.Held != "", x.Keeps
				r.MovedRevision = d.MovedRevision(name, x)
				if x.RollbackTo != nil {
					restored := v1alpha1.RolloutVersion(*x.RollbackTo)
					r.RollbackTo = &restored
				}
			}
		}
		all = append(all, r)
	}
	return ByPolicy(all, func(d v1alpha1.DeliveryRollout) string { return d.Policy })
}

func FromState(name string, s stage.State) v1alpha1.RolloutState {
	r := v1alpha1.RolloutState{
		Policy: name, ID: s.ID, Revision: s.Revision, PolicyDigest: s.PolicyDigest, StartedAt: MicroTime(s.StartedAt), FirstPendingAt: MicroTime(s.FirstPendingAt),
		Stage: s.Stage, StageStartedAt: MicroTime(s.StageStartedAt), CompletedAt: MicroTime(s.CompletedAt), HandledCommands: s.HandledCommands,
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

func ToState(r v1alpha1.RolloutState) stage.State {
	s := stage.State{
		ID: r.ID, Revision: r.Revision, PolicyDigest: r.PolicyDigest, StartedAt: Time(r.StartedAt), FirstPendingAt: Time(r.FirstPendingAt),
		Stage: r.Stage, StageStartedAt: Time(r.StageStartedAt), CompletedAt: Time(r.CompletedAt), HandledCommands: r.HandledCommands, StagesCompletedAt: map[string]time.Time{},
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

func FromCluster(name string, m stage.ClusterState) v1alpha1.DeliveryRollout {
	d := v1alpha1.DeliveryRollout{
		Policy: name, Current: v1alpha1.RolloutVersion(m.Current), UpdatedAt: MicroTime(m.UpdatedAt), HealthySince: MicroTime(m.HealthySince), UnhealthySince: MicroTime(m.UnhealthySince),
		GatePassedAt: MicroTime(m.GatePassedAt), StageCompleted: m.StageCompleted, WasHealthy: m.WasHealthy, UnavailableSince: MicroTime(m.UnavailableSince),
	}
	if m.LastHealthy != nil {
		good := v1alpha1.RolloutVersion(*m.LastHealthy)
		d.LastHealthy = &good
	}
	return d
}

func ToCluster(d v1alpha1.DeliveryRollout) stage.ClusterState {
	m := stage.ClusterState{
		Current: stage.Version(d.Current), UpdatedAt: Time(d.UpdatedAt), HealthySince: Time(d.HealthySince), UnhealthySince: Time(d.UnhealthySince),
		GatePassedAt: Time(d.GatePassedAt), StageCompleted: d.StageCompleted, WasHealthy: d.WasHealthy, UnavailableSince: Time(d.UnavailableSince),
	}
	if d.LastHealthy != nil {
		good := stage.Version(*d.LastHealthy)
		m.LastHealthy = &good
	}
	return m
}

// Undecided returns the status of a rollout before its first decision.
func Undecided(r *propagate.Rollout, now time.Time) v1alpha1.RolloutStatus {
	return v1alpha1.RolloutStatus{
		Policy: r.Name(), Phase: string(stage.Rolling), Reason: string(stage.Rolling), Message: "accord compares the objects of its clusters",
		WaitingFor: &v1alpha1.WaitingFor{Message: "the first decision", Since: status.Time(now)},
	}
}
