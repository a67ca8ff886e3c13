package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

func newMachine(in Input) *machine {
	m := &machine{policy: in.Sequence.Policy, in: in, now: in.Now.UTC().Round(0), next: in.Previous}
	m.next.StagesCompletedAt = map[string]time.Time{}
	maps.Copy(m.next.StagesCompletedAt, in.Previous.StagesCompletedAt)
	m.next.HandledCommands = slices.Clone(in.Previous.HandledCommands)
	byName := make(map[string]*member, len(in.Clusters))
	for _, c := range in.Clusters {
		it := &member{Cluster: c, ClusterState: in.Previous.Clusters[c.Name]}
		byName[c.Name] = it
		m.members = append(m.members, it)
	}
	slices.SortFunc(m.members, func(a, b *member) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range in.Sequence.Stages {
		p := &stageState{Stage: s, deadline: m.policy.Spec.Deadline(s.RolloutStage).Length(), soakDuration: s.Gate.SoakDuration.Length()}
		for _, name := range s.Clusters {
			if it := byName[name]; it != nil {
				it.stage = p
				p.members = append(p.members, it)
			}
		}
		p.limit = s.limit(len(p.members))
		m.stages = append(m.stages, p)
	}
	m.adopt()
	return m
}

// adopt takes what runs on a cluster of which nothing is remembered as what it was given. When nothing at all is
// remembered, and a change is under way nevertheless, a cluster that has it already may just have got it: its gate is asked.
func (m *machine) adopt() {
	underway := false
	var adopted []*member
	for _, c := range m.members {
		if c.hasState() || !c.hasReport() {
			continue
		}
		c.Current = Version{Digest: c.Report.Digest, Revision: c.Report.Revision}
		if c.onWanted() {
			adopted = append(adopted, c)
		} else if c.Report.Digest != "" {
			underway = true
		}
	}
	if m.in.Previous.ID != "" || !underway {
		return
	}
	for _, c := range adopted {
		c.UpdatedAt = m.now
		if c.healthyNow() {
			c.HealthySince = m.past(c.Report.Since, m.now)
		}
	}
}

// retarget notices that something else is wanted than before. The order begins again.
func (m *machine) retarget() {
	m.next.PolicyDigest = m.policyDigest()
	target := m.rolloutID()
	if target == m.next.ID {
		return
	}
	before := m.next
	m.next.ID, m.next.Revision, m.next.StartedAt = target, m.in.Revision, m.now
	m.next.Stage, m.next.StageStartedAt, m.next.CompletedAt, m.next.HandledCommands = "", time.Time{}, time.Time{}, nil
	underway := before.ID != "" && before.CompletedAt.IsZero()
	if !underway {
		m.next.FirstPendingAt = m.now
	}
	if slices.ContainsFunc(m.members, func(c *member) bool { return !c.onWanted() }) {
		kind := RolloutStarted
		if underway {
			kind = RolloutSuperseded
		}
		m.event(kind, "", "", "")
	}
}

// rolloutID identifies what is wanted on all clusters.
func (m *machine) rolloutID() string {
	h := sha256.New()
	for _, c := range m.members {
		h.Write([]byte(c.Name + "\x00" + c.Wanted + "\x00"))
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// policyDigest identifies what the policy says, but for its pauses.
func (m *machine) policyDigest() string {
	spec := m.policy.Spec
	spec.Paused, spec.PauseReason = false, ""
	spec.Stages = slices.Clone(spec.Stages)
	for i := range spec.Stages {
		spec.Stages[i].Paused, spec.Stages[i].PauseReason = false, ""
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return "" // a spec was read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// hasState says that something is remembered of what the cluster was given.
func (c *member) hasState() bool { return c.Current != Version{} || !c.UpdatedAt.IsZero() }

// hasReport says that the report is one of now.
func (c *member) hasReport() bool { return c.Unreachable == "" && !c.Unobserved }

// onWanted says that the cluster was given what is wanted.
func (c *member) onWanted() bool { return c.Current.Digest == c.Wanted }

// past is t, but not after the present, and orElse when it is not known.
func (m *machine) past(t, orElse time.Time) time.Time {
	switch {
	case t.IsZero():
		return orElse
	case t.After(m.now):
		return m.now
	}
	return t.UTC().Round(0)
}
