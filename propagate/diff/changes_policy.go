package diff

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var changesPolicy = EffectKind{
	Code: "changes-policy", Severity: propagate.Warning,
	Summary: "objects that are claimed by another policy, and why",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			if o.changesPolicy() {
				g.add(joinKey(policyTitle(o.before), policyTitle(o.after), c.policyCause(o)), o, nil)
			}
		}
		return g.effects(func(_ string, e *Effect, of *effectGroup) {
			o := of.first
			e.Values = []Value{{Before: policyTitle(o.before), After: policyTitle(o.after)}}
			if o.after.Policy == nil {
				e.Message = fmt.Sprintf("%s no longer %s to %s: %s", describeObjects(e.Objects), phrase.Plural(len(e.Objects), "belongs", "belong"), policyTitle(o.before), c.policyCause(o))
				return
			}
			e.At = o.after.Policy.At("spec.resourceSelectors")
			from := "no policy"
			if o.before.Policy != nil {
				from = policyTitle(o.before)
			}
			e.Message = fmt.Sprintf("%s %s from %s to %s (%s)", describeObjects(e.Objects), phrase.Plural(len(e.Objects), "moves", "move"), from, policyTitle(o.after), c.policyCause(o))
		})
	},
}

// policyCause returns why an object belongs to its present policy and no longer to the previous one.
func (c *comparison) policyCause(o *object) string {
	was, now := o.before.Policy, o.after.Policy
	if now == nil {
		return o.after.Why
	}
	if was == nil {
		return "it selects the object"
	}
	rivals := c.after.Plan.PoliciesSelecting(o.id)
	i := slices.IndexFunc(rivals, func(p *policy.Policy) bool { return p.Title() == was.Title() })
	switch {
	case i < 0 && !slices.ContainsFunc(c.after.Input.Policies, func(p *policy.Policy) bool { return p.Title() == was.Title() }):
		return was.Title() + " was removed"
	case i < 0:
		return was.Title() + " no longer selects it"
	}
	return c.precedence(o.id, now, rivals[i])
}

// precedence returns why one of two policies that select an object claims it (Karmada §2.2).
func (c *comparison) precedence(id manifest.ID, winner, loser *policy.Policy) string {
	switch a, b := priority(winner), priority(loser); {
	case !winner.ClusterWide() && loser.ClusterWide():
		return "a policy of the namespace comes before a cluster-wide one"
	case a != b:
		return fmt.Sprintf("priority %d > %d", a, b)
	case c.selectorMatch(winner, id) != c.selectorMatch(loser, id):
		return "it selects the object more exactly"
	}
	return "its name sorts first"
}

func priority(p *policy.Policy) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// selectorMatch returns how precisely a policy selects an object.
func (c *comparison) selectorMatch(p *policy.Policy, id manifest.ID) int {
	best := policy.NoMatch
	for _, s := range p.Spec.ResourceSelectors {
		best = max(best, s.Match(c.after.Plan.Manifest(id).Get()))
	}
	return best
}
