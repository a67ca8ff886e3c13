package check

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var claimedTwice = Check{
	Code:     "claimed-twice",
	Severity: propagate.Warning,
	Summary:  "two policies that select one object, and the policy that wins it",
	Why: "One policy claims an object; placements are never merged. The finding is a warning if only the names decide, and a note if " +
		"the priority or the more exact selector does. A policy of the namespace wins over a cluster-wide one; accord reports this " +
		"only if the cluster-wide one has the higher priority.",
	Fix: "Give one of them a higher `priority`, or let only one select the object.",
	Example: `
kind: PropagationPolicy
metadata: {name: a-web, namespace: shop}       # has it, because its name sorts first
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
---
kind: PropagationPolicy
metadata: {name: b-web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: Service}]`,
	run: func(r *Review) []propagate.Finding {
		var rivals []*rival
		byPair := map[[2]string]*rival{}
		for _, o := range r.objects {
			if o.Policy == nil {
				continue
			}
			for _, loser := range r.plan.PoliciesSelecting(o.ID) {
				if loser == o.Policy || len(r.won()[loser.Title()]) == 0 { // see claims-nothing
					continue
				}
				reason, severity := why(o, loser)
				pair := [2]string{loser.Title(), o.Policy.Title() + reason}
				if byPair[pair] == nil {
					byPair[pair] = &rival{loser: loser, winner: o.Policy, reason: reason, severity: severity}
					rivals = append(rivals, byPair[pair])
				}
				byPair[pair].objects = append(byPair[pair].objects, o)
			}
		}
		return rivalFindings(rivals)
	},
}

// rival is a policy that loses objects to another one for one reason.
type rival struct {
	loser, winner *policy.Policy
	reason        string // empty when the reason is obvious
	severity      propagate.Severity
	objects       []*object
}

func rivalFindings(rivals []*rival) []propagate.Finding {
	var findings []propagate.Finding
	for _, v := range rivals {
		if v.reason == "" {
			continue
		}
		f := at(v.loser.At("spec.resourceSelectors"), "", "%s also selects %s; %s (%s) claims it, because %s",
			v.loser.Title(), some(v.objects), v.winner.Title(), v.winner.At("spec.resourceSelectors"), v.reason)
		f.Severity = v.severity
		if f.Severity == propagate.Warning {
			f.Fix = "give the intended policy a higher priority"
		}
		findings = append(findings, f)
	}
	return findings
}

// why returns the reason why the policy of an object wins over another one (Karmada §2.2).
func why(o *object, loser *policy.Policy) (string, propagate.Severity) {
	winner := o.Policy
	won, lost := priority(winner), priority(loser)
	exactWon, exactLost := best(o, winner), best(o, loser)
	switch {
	case winner.ClusterWide() != loser.ClusterWide() && lost > won:
		return fmt.Sprintf("a policy of the namespace wins over a cluster-wide one, whatever the priority (%d < %d)", won, lost), propagate.Note
	case winner.ClusterWide() != loser.ClusterWide():
		return "", propagate.Note
	case won != lost:
		return fmt.Sprintf("its priority is higher (%d > %d)", won, lost), propagate.Note
	case exactWon != exactLost:
		return fmt.Sprintf("it selects by %s, the other by %s", by(exactWon), by(exactLost)), propagate.Note
	}
	return "its name sorts first", propagate.Warning
}

func priority(p *policy.Policy) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// best returns how exactly a policy selects an object (Karmada §2.1).
func best(o *object, p *policy.Policy) int {
	exact := policy.NoMatch
	for _, s := range p.Spec.ResourceSelectors {
		exact = max(exact, s.MatchOf(o.ID, o.manifest))
	}
	return exact
}

func by(match int) string {
	switch match {
	case policy.MatchName:
		return "name"
	case policy.MatchLabel:
		return "labels"
	}
	return "kind"
}
