package check

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render/override"
)

var overridesConflict = Check{
	Code:     "overrides-conflict",
	Severity: propagate.Note,
	Summary:  "two overrides that set one field to different values on the same cluster, and only their names decide which wins",
	Why: "Override policies have no priority. The one that selects more exactly (by name, then by labels, then by kind) comes last and wins; among " +
		"equals the one whose name sorts last, which is the opposite of propagation policies. A policy that is renamed changes what runs.",
	Fix: "Let one of them not select the object, or make one policy with both rules: rules apply in their order.",
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
		byField, policies := r.overriders(), map[string]*policy.Override{}
		for i := range r.in.Overrides {
			policies[r.in.Overrides[i].String()] = &r.in.Overrides[i]
		}
		var found []propagate.Finding
		told := map[[2]string]bool{}
		for _, v := range r.variants() {
			if v.object == nil || !v.contested() {
				continue
			}
			last := map[string]override.Step{}
			for _, s := range r.trace(v) {
				before, again := last[s.Path]
				last[s.Path] = s
				pair := [2]string{before.Policy + " " + before.Field, s.Policy + " " + s.Field}
				if !again || told[pair] || !r.disagree(byField, before, s) || !equals(v.object, policies[before.Policy], policies[s.Policy]) {
					continue
				}
				told[pair] = true
				winner, loser := byField[pair[1]], byField[pair[0]]
				found = append(found, at(before.At, "let only one of them select it",
					"%s and %s set %s of %s to different values %s; the second wins, because its name sorts last (%s)",
					loser.title, winner.title, s.Path, short(v.id), v.on(), s.At))
			}
		}
		return found
	},
}

// contested says whether two policies changed the same field.
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

// disagree says whether two steps of different policies on one field want different things. Edits of different parts of an
// image, and what is appended to a list, go together.
func (r *Review) disagree(byField map[string]overrider, a, b override.Step) bool {
	x, y := byField[a.Policy+" "+a.Field], byField[b.Policy+" "+b.Field]
	if a.Policy == b.Policy || reflect.DeepEqual(a.After, b.After) || x.list != y.list {
		return false
	}
	switch {
	case x.image != nil:
		return x.image.Component == y.image.Component && x.image.Operator == "replace" && y.image.Operator == "replace"
	case x.plaintext != nil:
		return !inserts(x.plaintext) && !inserts(y.plaintext)
	}
	return x.metadata != nil
}

// inserts says whether the operation adds an item to a list, as far as its path tells.
func inserts(p *policy.PlaintextOverrider) bool {
	last := p.Path[strings.LastIndexByte(p.Path, '/')+1:]
	_, err := strconv.Atoi(last)
	return p.Operator == "add" && (last == "-" || err == nil)
}

// equals says whether only their names decide which of two overrides comes last for an object.
func equals(o *object, a, b *policy.Override) bool {
	return a.ClusterWide() == b.ClusterWide() && exactness(o, a) == exactness(o, b)
}

func exactness(o *object, by *policy.Override) int {
	if len(by.Spec.ResourceSelectors) == 0 {
		return policy.MatchKind
	}
	best := policy.NoMatch
	for _, s := range by.Spec.ResourceSelectors {
		best = max(best, s.Match(o.manifest))
	}
	return best
}
