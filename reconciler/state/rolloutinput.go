package state

import (
	"maps"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/gate"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// lookAt sorts the objects on a cluster into rollouts. An object that stays although nobody wants it belongs to none.
func (f *Federation) lookAt(l *delivery.State) map[string]gate.View {
	all := map[string]gate.View{}
	staging := f.staging(l)
	wanted := map[manifest.ID]bool{}
	for _, r := range f.active.plan.Rollouts() {
		for _, item := range r.Items(l.Name) {
			wanted[item.ID] = true
		}
	}
	maps.DeleteFunc(l.GateStatus, func(id manifest.ID, _ map[string]any) bool { _, there := l.Live.Get(id); return !there })
	for id, there := range l.Live.All() {
		name := staging.RolloutOf(id, there.Labels)
		if name == "" {
			continue
		}
		stays := !f.declared.object.Spec.Prune || there.Preserve || there.Adopted || f.active.plan.KeepReason(l.Name, id, there.Labels) != ""
		if stays && !wanted[id] {
			continue
		}
		s := all[name]
		report, _ := l.Reports.Get(id) // recorded together with the object
		s.Add(id, f.fingerprints.Staged(id, there.Digest), there.GVK.Version, report, l.GateStatus[id])
		all[name] = s
	}
	return all
}

// stageInput returns everything that is known of one rollout.
func (f *Federation) stageInput(r *propagate.Rollout, now time.Time) stage.Input {
	before := f.rollouts.states[r.Name()]
	names := slices.Clone(r.Clusters)
	for name := range f.clusters {
		_, remembered := before.Clusters[name]
		if _, there := f.rollouts.seen[name][r.Name()]; (remembered || there) && !slices.Contains(r.Clusters, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	in := stage.Input{
		Sequence: r.Sequence(names...), Revision: f.active.revision, Previous: before, Now: now,
		Commands: slices.Concat(r.Policy.Commands, f.rollouts.commands),
	}
	gates := map[string]policy.RolloutGate{}
	for _, s := range in.Sequence.Stages {
		for _, name := range s.Clusters {
			gates[name] = s.Gate
		}
	}
	for _, name := range names {
		if l := f.clusters[name]; l != nil {
			in.Clusters = append(in.Clusters, f.stageCluster(l, r, before.Clusters[name], gates[name], now))
		}
	}
	return in
}

// stageCluster returns the wanted and the observed state of one cluster.
func (f *Federation) stageCluster(l *delivery.State, r *propagate.Rollout, m stage.ClusterState, at policy.RolloutGate, now time.Time) stage.Cluster {
	c := stage.Cluster{Name: l.Name, Wanted: f.fingerprints.Rollout(r, l.Name), Held: r.Held(l.Name), Unobserved: !l.Listed}
	if c.Held == "" && f.declared.object.Spec.Suspend {
		c.Held = "the federation is suspended"
	}
	switch reach := f.registry.Reachability(l.Name, now); {
	case reach.Unreachable == "":
	case now.Sub(f.rollouts.startedAt) < reachability.LostGrace && m.UnavailableSince.IsZero():
		c.Unobserved = true // it may only not have been probed yet
	default:
		c.Unreachable, c.Unobserved = reach.Unreachable, false
	}
	if c.Unobserved {
		return c
	}
	there := f.rollouts.seen[l.Name][r.Name()]
	c.Report = stage.Report{
		Digest: stage.Sum(there.Items), Revision: l.Delivery.Status.LastAppliedRevision, Health: there.Health, Message: there.Message,
		Answers: stage.Answers(at, f.rollouts.expressions.Get(at.CEL), there.Live),
	}
	if m.Current.Digest == c.Wanted && c.Held == "" && c.Unreachable == "" {
		gate.ReportErrors(l, r, &c)
	}
	return c
}
