package propagate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Codes of findings.
const (
	NotActedOn     = "not-acted-on"    // a known field that has no effect in this version
	WithoutEffect  = "without-effect"  // a field that has no effect by design
	MatchesNothing = "matches-nothing" // a policy or override that selects no object
	ClaimsNothing  = "claims-nothing"  // a policy all of whose objects are claimed by better ones
	UnknownCluster = "unknown-cluster" // a policy names a cluster that is not in the fleet
)

func (p *Plan) findings(in Input) []Finding {
	claimed := map[*policy.Policy]bool{}
	used := map[int]bool{}
	for _, it := range p.items {
		claimed[it.decision.Policy] = true
		for _, i := range it.candidates {
			used[i] = true
		}
	}
	var all []Finding
	for i := range in.Policies {
		c := &in.Policies[i]
		all = slices.Concat(all, unacted(c.Meta, c.Title(), c.NotActedOn()), preemption(c), p.strangers(c))
		if !claimed[c] {
			all = append(all, p.idle(c))
		}
	}
	for i := range in.Overrides {
		o := &in.Overrides[i]
		all = slices.Concat(all, unacted(o.Meta, o.Title(), o.NotActedOn()), p.strangersOf(o))
		if !used[i] {
			all = append(all, Finding{At: o.At("spec.resourceSelectors"), Severity: Note, Code: MatchesNothing,
				Message: o.Title() + " selects no object" + p.hint(o.Spec.ResourceSelectors)})
		}
	}
	all = append(all, p.idleKinds()...)
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(compareOrigins(a.At, b.At), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(all)
}

// idleKinds are taints of clusters, and objects that would configure Karmada.
func (p *Plan) idleKinds() []Finding {
	var all []Finding
	for _, c := range p.clusters {
		if len(c.Taints) > 0 {
			all = append(all, Finding{At: c.Origin, Severity: Note, Code: NotActedOn, Message: "Cluster " + c.Name + ": spec.taints is not acted on in this version"})
		}
	}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; configures(d.ID) {
			all = append(all, Finding{At: d.Origin, Severity: Note, Code: NotActedOn, Message: d.ID.String() + ": this kind is not acted on in this version"})
		}
	}
	return all
}

func unacted(m policy.Meta, title string, fields []string) []Finding {
	var all []Finding
	for _, field := range fields {
		all = append(all, Finding{At: m.At(field), Severity: Note, Code: NotActedOn, Message: fmt.Sprintf("%s: %s is not acted on in this version", title, field)})
	}
	return all
}

func preemption(c *policy.Policy) []Finding {
	if c.Spec.Preemption != policy.Always {
		return nil
	}
	return []Finding{{At: c.At("spec.preemption"), Severity: Note, Code: WithoutEffect, Message: c.Title() +
		": spec.preemption has no effect: all policies compete for every object each time, so there is nobody to take it from"}}
}

// idle tells of a policy that claims nothing.
func (p *Plan) idle(c *policy.Policy) Finding {
	at := c.At("spec.resourceSelectors")
	if p.claims.selected[c] == 0 {
		return Finding{At: at, Severity: Note, Code: MatchesNothing, Message: c.Title() + " selects no object" + p.hint(c.Spec.ResourceSelectors)}
	}
	return Finding{At: at, Severity: Note, Code: ClaimsNothing, Message: c.Title() + " claims no object: every one it selects is claimed by another policy, or never propagated"}
}

// strangers are the names in a policy that no cluster of the fleet has.
func (p *Plan) strangers(c *policy.Policy) []Finding {
	l := lookup{plan: p, meta: c.Meta, title: c.Title()}
	l.affinity("spec.placement.clusterAffinity", c.Spec.Placement.ClusterAffinity)
	if r := c.Spec.Placement.ReplicaScheduling; r != nil && r.WeightPreference != nil {
		for i := range r.WeightPreference.StaticWeightList {
			l.affinity(fmt.Sprintf("spec.placement.replicaScheduling.weightPreference.staticWeightList[%d].targetCluster", i),
				&r.WeightPreference.StaticWeightList[i].TargetCluster)
		}
	}
	if s := c.Spec.Suspension; s != nil && s.DispatchingOnClusters != nil {
		l.names("spec.suspension.dispatchingOnClusters.clusterNames", s.DispatchingOnClusters.ClusterNames)
	}
	return l.found
}

// strangersOf are the names in an override that no cluster of the fleet has.
func (p *Plan) strangersOf(o *policy.Override) []Finding {
	l := lookup{plan: p, meta: o.Meta, title: o.Title()}
	for i, rule := range o.Spec.OverrideRules {
		l.affinity(fmt.Sprintf("spec.overrideRules[%d].targetCluster", i), rule.TargetCluster)
	}
	return l.found
}

// lookup looks cluster names of one policy up in the fleet.
type lookup struct {
	plan  *Plan
	meta  policy.Meta
	title string
	found []Finding
}

func (l *lookup) affinity(field string, a *policy.ClusterAffinity) {
	if a != nil {
		l.names(field+".clusterNames", a.ClusterNames)
		l.names(field+".exclude", a.Exclude)
	}
}

func (l *lookup) names(field string, names []string) {
	for i, name := range names {
		if _, known := l.plan.index[name]; !known {
			l.found = append(l.found, Finding{At: l.meta.At(fmt.Sprintf("%s[%d]", field, i)), Severity: Note, Code: UnknownCluster,
				Message: fmt.Sprintf("%s: %s names cluster %q, which is not in the fleet%s", l.title, field, name,
					manifest.DidYouMean(name, l.plan.Clusters()))})
		}
	}
}
