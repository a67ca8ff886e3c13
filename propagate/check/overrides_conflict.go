package check

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render/override"
)

var overridesConflict = Check{
	Code:     "overrides-conflict",
	Severity: propagate.Note,
	Summary:  "two overrides that set one field to different values on the same cluster, and only their names decide which wins",
	Why: "Override policies have no priority. The more exact selector (by name, then by labels, then by kind) is applied last and " +
		"wins; among equals the name that sorts last wins, unlike with propagation policies. Renaming a policy changes the deployed " +
		"objects.",
	Fix: "Let only one of them select the object, or write one policy with both rules: rules apply in their order.",
	Example: `
kind: OverridePolicy
metadata: {name: a, namespace: shop}
spec:
  overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {tier: gold}}]}}]
---
kind: OverridePolicy
metadata: {name: b, namespace: shop}
spec:
  overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {tier: silver}}]}}]   # wins`,
	rendered: true,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, c := range r.clashes() {
			findings = append(findings, at(c.loser.At, "let only one of them select the object",
				"%s and %s set %s of %s to different values on %s; the second wins, because its name sorts last (%s)",
				c.losing, c.winning, c.loser.Path, short(c.object.ID), phrase.And(c.clusters, named), c.winner.At))
		}
		return findings
	},
}

// clash is two overrides that set a field of an object to different values.
type clash struct {
	loser, winner   override.Step
	losing, winning string // titles
	object          *object
	clusters        []string
}

// clashes returns all clashes; each pair of entries has one, for one object.
func (r *Review) clashes() []*clash {
	byField, policies := r.overriders(), map[string]*policy.Override{}
	for _, o := range r.in.Overrides {
		policies[o.String()] = o
	}
	var all []*clash
	reported := map[[2]string]*clash{}
	for _, v := range r.variants() {
		if v.object == nil || !v.contested() {
			continue
		}
		last := map[string]override.Step{} // by path, and by part of an image
		for _, s := range r.trace(v) {
			e := byField[key(s)]
			before, again := last[s.Path+e.part()]
			last[s.Path+e.part()] = s
			if !again || !disagree(byField[key(before)], e, before, s) || !equals(v.object, policies[before.Policy], policies[s.Policy]) {
				continue
			}
			pair := [2]string{key(before), key(s)}
			c := reported[pair]
			if c == nil {
				c = &clash{loser: before, winner: s, losing: byField[pair[0]].title, winning: e.title, object: v.object}
				reported[pair], all = c, append(all, c)
			}
			if c.object == v.object {
				c.clusters = append(c.clusters, v.clusters...)
			}
		}
	}
	return all
}

// contested reports whether two policies changed the same field.
func (v *variant) contested() bool {
	by := map[string]string{}
	for _, e := range v.edits() {
		if other, again := by[e.Path]; again && other != e.Policy {
			return true
		}
		by[e.Path] = e.Policy
	}
	return false
}

// key identifies the entry that made a step.
func key(s override.Step) string { return s.Policy + " " + s.Field }

// part returns the part of an image that the entry changes; edits of different parts are compatible.
func (e overrider) part() string {
	if e.image == nil {
		return ""
	}
	return " " + e.image.Component
}

// disagree reports whether two steps of different policies on one field conflict. Values appended to a list, or to a
// part of an image, are compatible.
func disagree(x, y overrider, a, b override.Step) bool {
	if a.Policy == b.Policy || x.list != y.list || reflect.DeepEqual(a.After, b.After) {
		return false
	}
	switch {
	case x.image != nil:
		return x.image.Operator == "replace" && y.image.Operator == "replace" && x.image.Value != y.image.Value
	case x.plaintext != nil:
		return !inserts(x.plaintext) && !inserts(y.plaintext)
	}
	return x.metadata != nil
}

// inserts reports whether the operation adds an item to a list, judging by its path.
func inserts(p *policy.PlaintextOverrider) bool {
	last := p.Path[strings.LastIndexByte(p.Path, '/')+1:]
	_, err := strconv.Atoi(last)
	return p.Operator == "add" && (last == "-" || err == nil)
}

// equals reports whether only their names decide which of two overrides comes last for an object.
func equals(o *object, a, b *policy.Override) bool {
	return a.ClusterWide() == b.ClusterWide() && exactness(o, a) == exactness(o, b)
}

func exactness(o *object, by *policy.Override) int {
	if len(by.Spec.ResourceSelectors) == 0 {
		return policy.MatchKind
	}
	best := policy.NoMatch
	for _, s := range by.Spec.ResourceSelectors {
		best = max(best, s.MatchOf(o.ID, o.manifest))
	}
	return best
}
