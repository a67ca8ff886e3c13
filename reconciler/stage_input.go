package reconciler

import (
	"fmt"
	"maps"
	"slices"
	"time"

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

// lookAtClusters looks at every cluster of which something changed. The caller holds f.mu.
func (e *engine) lookAtClusters(f *federation) {
	for cluster, l := range f.legs {
		if f.staging.seen[cluster] == nil {
			f.staging.seen[cluster] = f.lookAt(l)
		}
	}
}

// lookAt sorts what is on a cluster into rollouts. What is there and stays although nobody wants it is none of theirs.
func (f *federation) lookAt(l *leg) map[string]seen {
	all := map[string]seen{}
	staged := f.staged(l)
	wanted := map[manifest.ID]bool{}
	for _, r := range f.plan.Rollouts() {
		for _, item := range r.Items(l.cluster) {
			wanted[item.ID] = true
		}
	}
	maps.DeleteFunc(l.answers, func(id manifest.ID, _ map[string]any) bool { _, there := l.live.Get(id); return !there })
	for id, there := range l.live.All() {
		name := staged.RolloutOf(id, there.Labels)
		if name == "" {
			continue
		}
		stays := !f.declaration.Spec.Prune || there.Preserve || there.Adopted || f.plan.KeepReason(l.cluster, id, there.Labels) != ""
		if stays && !wanted[id] {
			continue
		}
		s := all[name]
		report, _ := l.reports.Get(id) // told together with what is there
		s.add(id, f.fingerprints.Staged(id, there.Digest), there.GVK.Version, report, l.answers[id])
		all[name] = s
	}
	return all
}

func (s *seen) add(id manifest.ID, digest, version string, r status.Report, answered map[string]any) {
	if len(s.items) == 0 {
		s.health = stage.Healthy
	}
	s.items = append(s.items, stage.Item{ID: id, Digest: digest})
	s.live = append(s.live, stage.Live{ID: id, Version: version, Status: answered})
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

// stageInput is all that is known of one rollout. The caller holds f.mu.
func (e *engine) stageInput(f *federation, r *propagate.Rollout, now time.Time) stage.Input {
	before := f.staging.states[r.Name()]
	names := slices.Clone(r.Clusters)
	for cluster := range f.legs {
		_, remembered := before.Clusters[cluster]
		if _, there := f.staging.seen[cluster][r.Name()]; (remembered || there) && !slices.Contains(r.Clusters, cluster) {
			names = append(names, cluster)
		}
	}
	slices.Sort(names)
	in := stage.Input{
		Sequence: r.Sequence(names...), Revision: f.revision, Previous: before, Now: now,
		Commands: slices.Concat(r.Policy.Commands, f.staging.orders),
	}
	gates := map[string]policy.RolloutGate{}
	for _, s := range in.Sequence.Stages {
		for _, cluster := range s.Clusters {
			gates[cluster] = s.Gate
		}
	}
	for _, name := range names {
		if l := f.legs[name]; l != nil {
			in.Clusters = append(in.Clusters, e.stageCluster(f, l, r, before.Clusters[name], gates[name]))
		}
	}
	return in
}

// stageCluster is what is wanted and known of one cluster. The caller holds f.mu.
func (e *engine) stageCluster(f *federation, l *leg, r *propagate.Rollout, m stage.ClusterState, gate policy.RolloutGate) stage.Cluster {
	c := stage.Cluster{Name: l.cluster, Wanted: f.fingerprints.Rollout(r, l.cluster), Held: r.Held(l.cluster), Unobserved: !l.listed}
	if c.Held == "" && f.declaration.Spec.Suspend {
		c.Held = "the federation is suspended"
	}
	switch why, _ := e.reach(l.cluster); {
	case why == "":
	case time.Since(f.staging.began) < lostGrace && m.UnavailableSince.IsZero():
		c.Unobserved = true // it may only not have been asked yet
	default:
		c.Unreachable, c.Unobserved = why, false
	}
	if c.Unobserved {
		return c
	}
	there := f.staging.seen[l.cluster][r.Name()]
	c.Report = stage.Report{
		Digest: stage.Sum(there.items), Revision: l.delivery.Status.LastAppliedRevision, Health: there.health, Message: there.message,
		Answers: stage.Answers(gate, f.expression(gate.CEL), there.live),
	}
	if m.Current.Digest == c.Wanted && c.Held == "" && c.Unreachable == "" {
		f.judgeErrors(l, r, &c)
	}
	return c
}

// judgeErrors notes what cannot be delivered of the version that the cluster was given: then the report is about that,
// although the cluster runs something else.
func (f *federation) judgeErrors(l *leg, r *propagate.Rollout, c *stage.Cluster) {
	for _, item := range r.Items(l.cluster) {
		switch w := l.wants.of(item.ID); {
		case w.held != "":
		case w.err != "":
			c.Report.Digest, c.Report.Health, c.Report.Message = c.Wanted, stage.Stalled, fmt.Sprintf("%s: %s", item.ID, w.err)
			return
		case l.errors[item.ID] != "":
			c.Report.Digest, c.Report.Health, c.Report.Message = c.Wanted, stage.Failed, fmt.Sprintf("%s: %s", item.ID, l.errors[item.ID])
			if l.news.final {
				c.Report.Health = stage.Stalled
			}
			return
		}
	}
}

// expression is a compiled one; nil for none, and for one that cannot be read.
func (f *federation) expression(text string) *stage.Expression {
	if text == "" {
		return nil
	}
	if known, ok := f.staging.expressions[text]; ok {
		return known
	}
	compiled, err := stage.Compile(text)
	if err != nil {
		compiled = nil // lint says so, and the gate stays closed
	}
	next := maps.Clone(f.staging.expressions)
	if next == nil {
		next = map[string]*stage.Expression{}
	}
	next[text] = compiled
	f.staging.expressions = next
	return compiled
}
