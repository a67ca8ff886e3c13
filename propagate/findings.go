package propagate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
	var all []Finding
	for i := range in.Policies {
		c := &in.Policies[i]
		all = append(all, unacted(c.Meta, c.Title(), c.NotActedOn())...)
		all = append(all, preemption(c)...)
		all = append(all, p.idle(c)...)
		all = append(all, p.strangers(c)...)
	}
	for i := range in.Overrides {
		o := &in.Overrides[i]
		all = append(all, unacted(o.Meta, o.Title(), o.NotActedOn())...)
		all = append(all, p.unused(i, o)...)
	}
	for _, c := range p.clusters {
		if len(c.Taints) > 0 {
			all = append(all, Finding{c.Origin, NotActedOn, "Cluster " + c.Name + ": spec.taints is not acted on in this version"})
		}
	}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; configures(d.ID) {
			all = append(all, Finding{d.Origin, NotActedOn, d.ID.String() + ": this kind is not acted on in this version"})
		}
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(compareOrigins(a.At, b.At), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(all)
}

func unacted(m policy.Meta, title string, fields []string) []Finding {
	var all []Finding
	for _, field := range fields {
		all = append(all, Finding{m.At(field), NotActedOn, fmt.Sprintf("%s: %s is not acted on in this version", title, field)})
	}
	return all
}

func preemption(c *policy.Policy) []Finding {
	if c.Spec.Preemption != policy.Always {
		return nil
	}
	return []Finding{{c.At("spec.preemption"), WithoutEffect, c.Title() +
		": spec.preemption has no effect: all policies compete for every object each time, so there is nobody to take it from"}}
}

// idle tells of a policy that claims nothing.
func (p *Plan) idle(c *policy.Policy) []Finding {
	if p.claims.selected[c] == 0 {
		return []Finding{{c.At("spec.resourceSelectors"), MatchesNothing,
			c.Title() + " selects no object" + p.hint(c.Spec.ResourceSelectors)}}
	}
	for i := range p.Decisions {
		if p.Decisions[i].Policy == c {
			return nil
		}
	}
	return []Finding{{c.At("spec.resourceSelectors"), ClaimsNothing,
		c.Title() + " claims no object: every one it selects is claimed by another policy"}}
}

// unused tells of an override that selects nothing.
func (p *Plan) unused(i int, o *policy.Override) []Finding {
	for _, it := range p.items {
		if slices.Contains(it.candidates, i) {
			return nil
		}
	}
	return []Finding{{o.At("spec.resourceSelectors"), MatchesNothing, o.Title() + " selects no object" + p.hint(o.Spec.ResourceSelectors)}}
}

// hint names the kind that was probably meant: the same name in another group, or a name like it.
func (p *Plan) hint(selectors []policy.ResourceSelector) string {
	kinds := map[string]schema.GroupVersionKind{}
	for i := range p.Decisions {
		kinds[p.Decisions[i].ID.Kind] = p.Decisions[i].GVK
	}
	for _, s := range selectors {
		near := manifest.Nearest(s.Kind, slices.Collect(maps.Keys(kinds)))
		if near == "" {
			continue
		}
		gvk := kinds[near]
		if near == s.Kind && gvk.Group == schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).Group {
			continue // the kind is there; the namespace, name or labels do not fit
		}
		return fmt.Sprintf("; did you mean apiVersion %s, kind %s?", gvk.GroupVersion(), gvk.Kind)
	}
	return ""
}

// strangers are the names in a policy that no cluster of the fleet has.
func (p *Plan) strangers(c *policy.Policy) []Finding {
	var all []Finding
	look := func(field string, names []string) {
		for i, name := range names {
			if _, known := p.index[name]; !known {
				at := fmt.Sprintf("%s[%d]", field, i)
				all = append(all, Finding{c.At(at), UnknownCluster, fmt.Sprintf("%s: %s names cluster %q, which is not in the fleet%s",
					c.Title(), field, name, manifest.DidYouMean(name, p.Clusters()))})
			}
		}
	}
	if a := c.Spec.Placement.ClusterAffinity; a != nil {
		look("spec.placement.clusterAffinity.clusterNames", a.ClusterNames)
		look("spec.placement.clusterAffinity.exclude", a.Exclude)
	}
	if s := c.Spec.Suspension; s != nil && s.DispatchingOnClusters != nil {
		look("spec.suspension.dispatchingOnClusters.clusterNames", s.DispatchingOnClusters.ClusterNames)
	}
	return all
}
