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

// adopt takes the reported version of a cluster without state as its current version. If there is no state at all and a change
// is in progress, a cluster that has the wanted version may just have got it, so its gate is evaluated.
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

// retarget starts a new rollout, with the first stage, when the wanted versions have changed.
func (m *machine) retarget() {
	m.next.PolicyDigest = m.policyDigest()
	id := m.rolloutID()
	if id == m.next.ID {
		return
	}
	before := m.next
	m.next.ID, m.next.Revision, m.next.StartedAt = id, m.in.Revision, m.now
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

// rolloutID returns the digest of the wanted versions of all clusters.
func (m *machine) rolloutID() string {
	h := sha256.New()
	for _, c := range m.members {
		h.Write([]byte(c.Name + "\x00" + c.Wanted + "\x00"))
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// policyDigest returns a digest of the spec of the policy without its pauses.
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

// hasState reports whether the state of the cluster is known from before.
func (c *member) hasState() bool { return c.Current != Version{} || !c.UpdatedAt.IsZero() }

// hasReport reports whether there is a current report.
func (c *member) hasReport() bool { return c.Unreachable == "" && !c.Unobserved }

// onWanted reports whether the cluster got the wanted version.
func (c *member) onWanted() bool { return c.Current.Digest == c.Wanted }

// past returns t, but not later than now, and orElse when t is unknown.
func (m *machine) past(t, orElse time.Time) time.Time {
	switch {
	case t.IsZero():
		return orElse
	case t.After(m.now):
		return m.now
	}
	return t.UTC().Round(0)
}
