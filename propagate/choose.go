package propagate

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/exclude"
)

// claim finds the policy of an object, or the reason why accord does not propagate it.
func (p *Plan) claim(it *item) {
	d := it.decision
	if d.Why = p.rules.exclusions.Object(d.ID, it.manifest.Get()); d.Why != "" {
		return
	}
	if generated := exclude.Generated(d.ID, it.manifest.Get()); generated != "" {
		if d.Policy = p.rules.claims.Naming(d.ID, it.manifest); d.Policy == nil {
			d.Why = generated
		}
		return
	}
	if d.Policy = p.rules.claims.Winner(d.ID, it.manifest); d.Policy == nil {
		d.Why = d.Unclaimed()
	}
}

// choose decides about a claimed object: which clusters fit, how many replicas each gets, and where a policy suspends
// it.
func (p *Plan) choose(it *item) {
	d := it.decision
	if d.Policy == nil {
		d.RefuseAll(p.members.All, d.Why, d.Origin)
		return
	}
	d.Inherit(d.Policy)
	if why, at := p.blocker(d.Policy); why != "" {
		d.Why = fmt.Sprintf("%s (%s); existing objects are kept", why, at)
		d.RefuseAll(p.members.All, why, at)
		return
	}
	p.place(it)
	p.deferIfLazy(it)
	d.PrepareReplacements()
}

// blocker returns the reason why a policy cannot take effect yet, and its origin; empty if it can.
func (p *Plan) blocker(c *policy.Policy) (why string, at manifest.Origin) {
	if name := c.Spec.SchedulerName; name != policy.DefaultScheduler {
		return fmt.Sprintf("schedulerName is %q; accord supports only %q", name, policy.DefaultScheduler), c.At("spec.schedulerName")
	}
	for i, name := range c.Spec.DependentOverrides {
		if !p.rules.overrides.Has(c.Namespace, name) {
			return fmt.Sprintf("it waits for override policy %q, which does not exist", name),
				c.At(fmt.Sprintf("spec.dependentOverrides[%d]", i))
		}
	}
	return "", manifest.Origin{}
}
