// Package recovery derives from RecoveryPlans which override policies apply to a standby, and which revision of production it runs.
package recovery

import (
	"errors"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Overrides returns the override policies as they apply with the plans. On a passive standby, the passive overrides record the replicas
// that they change. They leave out an active standby. The result shares with all the policies that no plan names. An error joins the
// mistakes of the plans, each a *manifest.Error: two plans for one standby or source, or an override policy that does not exist.
func Overrides(plans []policy.Recovery, all []*policy.Override) ([]*policy.Override, error) {
	errs := conflicts(plans)
	for i := range plans {
		p := &plans[i]
		for n, named := range p.Spec.PassiveOverrides {
			at := slices.IndexFunc(all, func(o *policy.Override) bool { return o.Title() == named.Title() })
			if at < 0 {
				errs = append(errs, &manifest.Error{
					Origin:  p.At(fmt.Sprintf("spec.passiveOverrides[%d]", n)),
					Message: p.Title() + ": there is no " + named.Title() + "; the standby would not stay passive",
				})
				continue
			}
			changed := passive(all[at], p)
			all = slices.Clone(all)
			all[at] = changed
		}
	}
	return all, errors.Join(errs...)
}

// passive returns a passive override as it applies with a plan.
func passive(o *policy.Override, p *policy.Recovery) *policy.Override {
	changed := *o
	if p.Spec.Active == policy.ProductionSite {
		changed.RecordsReplicas = true
		return &changed
	}
	rules := slices.Clone(o.Spec.OverrideRules)
	for i := range rules {
		var target policy.ClusterAffinity
		if rules[i].TargetCluster != nil {
			target = *rules[i].TargetCluster
		}
		target.Exclude = append(slices.Clip(target.Exclude), p.Spec.Standby)
		rules[i].TargetCluster = &target
	}
	changed.Spec.OverrideRules = rules
	return &changed
}

// conflicts returns an error for each plan with the standby or the source of an earlier one: the two could contradict each other.
func conflicts(plans []policy.Recovery) (errs []error) {
	for i := range plans {
		p := &plans[i]
		for j := range plans[:i] {
			other := &plans[j]
			for _, same := range []struct{ field, a, b string }{
				{"spec.standby", p.Spec.Standby, other.Spec.Standby}, {"spec.source", p.Spec.Source, other.Spec.Source},
			} {
				if same.a == same.b {
					errs = append(errs, &manifest.Error{
						Origin:  p.At(same.field),
						Message: p.Title() + ": " + same.field + " is " + same.a + ", as in " + other.Title() + "; write one RecoveryPlan for both",
					})
				}
			}
		}
	}
	return errs
}

// Pinned returns the revision of a source that an active standby runs; empty while the standby follows the source.
func Pinned(plans []policy.Recovery, source string) string {
	for i := range plans {
		if s := plans[i].Spec; s.Source == source && s.Active == policy.StandbySite {
			return s.Revision
		}
	}
	return ""
}

// Switched returns the plans whose active site differs from the one that they had before. A plan that is new, or that is deleted,
// switches nothing.
func Switched(before, after []policy.Recovery) (switched []policy.Recovery) {
	for _, p := range after {
		if slices.ContainsFunc(before, func(b policy.Recovery) bool { return b.Name == p.Name && b.Spec.Active != p.Spec.Active }) {
			switched = append(switched, p)
		}
	}
	return switched
}

// UnknownSources returns an error for each plan whose source is not one of the live clusters that a Federation reads.
func UnknownSources(plans []policy.Recovery, live []string) error {
	var errs []error
	for i := range plans {
		if p := &plans[i]; !slices.Contains(live, p.Spec.Source) {
			errs = append(errs, &manifest.Error{
				Origin:  p.At("spec.source"),
				Message: fmt.Sprintf("%s: spec.source is %q, which is no live cluster in spec.sources of the Federation%s", p.Title(), p.Spec.Source, manifest.DidYouMean(p.Spec.Source, live)),
			})
		}
	}
	return errors.Join(errs...)
}

// With returns the plans with another active site in one of them. The revision is irrelevant to a plan of given objects.
func With(plans []policy.Recovery, name, active string) []policy.Recovery {
	plans = slices.Clone(plans)
	for i := range plans {
		if plans[i].Name == name {
			plans[i].Spec.Active = active
		}
	}
	return plans
}
