package state

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// seen is what a cluster has of one rollout.
type seen struct {
	items   []stage.Item
	live    []stage.Live
	health  stage.Health
	message string
}

// lookAt sorts the objects on a cluster into rollouts. An object that stays although nobody wants it belongs to none.
func (f *Federation) lookAt(l *cluster) map[string]seen {
	all := map[string]seen{}
	staging := f.staging(l)
	wanted := map[manifest.ID]bool{}
	for _, r := range f.active.plan.Rollouts() {
		for _, item := range r.Items(l.name) {
			wanted[item.ID] = true
		}
	}
	maps.DeleteFunc(l.gateStatus, func(id manifest.ID, _ map[string]any) bool { _, there := l.live.Get(id); return !there })
	for id, there := range l.live.All() {
		name := staging.RolloutOf(id, there.Labels)
		if name == "" {
			continue
		}
		stays := !f.declared.object.Spec.Prune || there.Preserve || there.Adopted || f.active.plan.KeepReason(l.name, id, there.Labels) != ""
		if stays && !wanted[id] {
			continue
		}
		s := all[name]
		report, _ := l.reports.Get(id) // recorded together with the object
		s.add(id, f.fingerprints.Staged(id, there.Digest), there.GVK.Version, report, l.gateStatus[id])
		all[name] = s
	}
	return all
}

func (s *seen) add(id manifest.ID, digest, version string, r status.Report, gateStatus map[string]any) {
	if len(s.items) == 0 {
		s.health = stage.Healthy
	}
	s.items = append(s.items, stage.Item{ID: id, Digest: digest})
	s.live = append(s.live, stage.Live{ID: id, Version: version, Status: gateStatus})
	health := stage.Progressing
	switch observed := !r.Observes || r.ObservedGeneration >= r.Generation; {
	case observed && r.Health == kind.Healthy:
		return
	case observed && r.Health == kind.Failed:
		health = stage.Failed
	}
	if s.health != stage.Failed || health == stage.Failed && s.message == "" {
		s.health = health
		s.message = id.String()
		if r.Message != "" {
			s.message += ": " + r.Message
		}
	}
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

// stageCluster returns what is wanted and known of one cluster.
func (f *Federation) stageCluster(l *cluster, r *propagate.Rollout, m stage.ClusterState, gate policy.RolloutGate, now time.Time) stage.Cluster {
	c := stage.Cluster{Name: l.name, Wanted: f.fingerprints.Rollout(r, l.name), Held: r.Held(l.name), Unobserved: !l.listed}
	if c.Held == "" && f.declared.object.Spec.Suspend {
		c.Held = "the federation is suspended"
	}
	switch reach := f.registry.Reachability(l.name, now); {
	case reach.Unreachable == "":
	case now.Sub(f.rollouts.startedAt) < LostGrace && m.UnavailableSince.IsZero():
		c.Unobserved = true // it may only not have been probed yet
	default:
		c.Unreachable, c.Unobserved = reach.Unreachable, false
	}
	if c.Unobserved {
		return c
	}
	there := f.rollouts.seen[l.name][r.Name()]
	c.Report = stage.Report{
		Digest: stage.Sum(there.items), Revision: l.delivery.Status.LastAppliedRevision, Health: there.health, Message: there.message,
		Answers: stage.Answers(gate, f.expression(gate.CEL), there.live),
	}
	if m.Current.Digest == c.Wanted && c.Held == "" && c.Unreachable == "" {
		f.reportErrors(l, r, &c)
	}
	return c
}

// reportErrors reports errors of the version that a cluster was updated to: then the report is about that version,
// although the cluster runs another one.
func (f *Federation) reportErrors(l *cluster, r *propagate.Rollout, c *stage.Cluster) {
	for _, item := range r.Items(l.name) {
		switch w := l.wants.of(item.ID); {
		case w.held != "":
		case w.err != "":
			c.Report.Digest, c.Report.Health, c.Report.Message = c.Wanted, stage.Stalled, fmt.Sprintf("%s: %s", item.ID, w.err)
			return
		case l.errors[item.ID] != "":
			c.Report.Digest, c.Report.Health, c.Report.Message = c.Wanted, stage.Failed, fmt.Sprintf("%s: %s", item.ID, l.errors[item.ID])
			if l.terminal {
				c.Report.Health = stage.Stalled
			}
			return
		}
	}
}

// expression returns a compiled expression; nil for none, and for one that cannot be compiled.
func (f *Federation) expression(text string) *stage.Expression {
	if text == "" {
		return nil
	}
	if known, ok := f.rollouts.expressions[text]; ok {
		return known
	}
	compiled, err := stage.Compile(text)
	if err != nil {
		compiled = nil // lint reports it, and the gate stays closed
	}
	if f.rollouts.expressions == nil {
		f.rollouts.expressions = map[string]*stage.Expression{}
	}
	f.rollouts.expressions[text] = compiled
	return compiled
}

// asks is what the gates of all rollouts need of live objects: that much of their status is kept.
type asks struct {
	conditions []string // by type
	all        bool     // the whole status, for expressions
}

// gateAsks returns what the gates of a plan need.
func gateAsks(plan *propagate.Plan) asks {
	var a asks
	for _, r := range plan.Rollouts() {
		for _, s := range r.Policy.Spec.Stages {
			a.conditions = append(a.conditions, s.Gate.Conditions...)
			if s.Gate.Job != nil {
				a.conditions = append(a.conditions, "Complete", "Failed")
			}
			a.all = a.all || s.Gate.CEL != ""
		}
	}
	slices.Sort(a.conditions)
	a.conditions = slices.Compact(a.conditions)
	return a
}

// more reports whether these need something that others did not: it was not kept.
func (a asks) more(than asks) bool {
	return a.all && !than.all || !than.all && slices.ContainsFunc(a.conditions, func(c string) bool { return !slices.Contains(than.conditions, c) })
}

// of returns what is kept of the status of an object; nil if nothing is needed.
func (a asks) of(u *unstructured.Unstructured) map[string]any {
	status, _ := u.Object["status"].(map[string]any)
	switch {
	case len(status) == 0 || !a.all && len(a.conditions) == 0:
		return nil
	case a.all:
		return (&unstructured.Unstructured{Object: status}).DeepCopy().Object
	}
	list, _ := status["conditions"].([]any)
	var kept []any
	for _, entry := range list {
		if c, ok := entry.(map[string]any); ok {
			if typ, _ := c["type"].(string); slices.Contains(a.conditions, typ) {
				kept = append(kept, map[string]any{"type": typ, "status": c["status"], "message": c["message"]})
			}
		}
	}
	if kept == nil {
		return nil
	}
	return map[string]any{"conditions": kept}
}
