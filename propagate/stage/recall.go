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
	m := &machine{policy: in.Course.Policy, in: in, now: in.Now.UTC().Round(0), next: in.Before}
	m.next.Passed = map[string]time.Time{}
	maps.Copy(m.next.Passed, in.Before.Passed)
	m.next.Obeyed = slices.Clone(in.Before.Obeyed)
	byName := make(map[string]*member, len(in.Clusters))
	for _, c := range in.Clusters {
		it := &member{Cluster: c, Memory: in.Before.Clusters[c.Name]}
		byName[c.Name] = it
		m.members = append(m.members, it)
	}
	slices.SortFunc(m.members, func(a, b *member) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range in.Course.Stages {
		p := &phase{Stage: s, deadline: m.policy.Spec.Deadline(s.RolloutStage).Length(), soak: s.Gate.SoakDuration.Length()}
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
		if c.known() || !c.heard() {
			continue
		}
		c.Given = Version{Digest: c.Report.Digest, Revision: c.Report.Revision}
		if c.onWanted() {
			adopted = append(adopted, c)
		} else if c.Report.Digest != "" {
			underway = true
		}
	}
	if m.in.Before.Target != "" || !underway {
		return
	}
	for _, c := range adopted {
		c.At = m.now
		if c.healthyNow() {
			c.Healthy = m.past(c.Report.Since, m.now)
		}
	}
}

// retarget notices that something else is wanted than before. The order begins again.
func (m *machine) retarget() {
	m.next.Policy = m.policyDigest()
	target := m.target()
	if target == m.next.Target {
		return
	}
	before := m.next
	m.next.Target, m.next.Revision, m.next.Began = target, m.in.Revision, m.now
	m.next.Stage, m.next.Entered, m.next.Completed, m.next.Obeyed = "", time.Time{}, time.Time{}, nil
	underway := before.Target != "" && before.Completed.IsZero()
	if !underway {
		m.next.Chain = m.now
	}
	if slices.ContainsFunc(m.members, func(c *member) bool { return !c.onWanted() }) {
		kind := Started
		if underway {
			kind = Superseded
		}
		m.event(kind, "", "", "")
	}
}

// target identifies what is wanted on all clusters.
func (m *machine) target() string {
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

// known says that something is remembered of what the cluster was given.
func (c *member) known() bool { return c.Given != Version{} || !c.At.IsZero() }

// heard says that the report is one of now.
func (c *member) heard() bool { return c.Unreachable == "" && !c.Unread }

// onWanted says that the cluster was given what is wanted.
func (c *member) onWanted() bool { return c.Given.Digest == c.Wanted }

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
