package diff

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var changesOwner = EffectKind{
	Code: "changes-owner", Severity: propagate.Warning,
	Summary: "objects that another policy claims than before, and why",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			if o.moves() {
				g.add(joined(title(o.before), title(o.after), c.claim(o)), o, nil)
			}
		}
		return g.effects(func(_ string, e *Effect, of *gathered) {
			o := of.first
			e.Values = []Value{{Before: title(o.before), After: title(o.after)}}
			if o.after.Policy == nil {
				e.Message = fmt.Sprintf("%s no longer %s to %s: %s", things(e.Objects), verb(len(e.Objects), "belongs", "belong"), title(o.before), c.claim(o))
				return
			}
			e.At = o.after.Policy.At("spec.resourceSelectors")
			from := "no policy"
			if o.before.Policy != nil {
				from = title(o.before)
			}
			e.Message = fmt.Sprintf("%s %s from %s to %s (%s)", things(e.Objects), verb(len(e.Objects), "moves", "move"), from, title(o.after), c.claim(o))
		})
	},
}

// claim is why an object belongs to the policy it belongs to now, and not to the one before.
func (c *comparison) claim(o *object) string {
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
	case i < 0 && !slices.ContainsFunc(c.after.Input.Policies, func(p policy.Policy) bool { return p.Title() == was.Title() }):
		return was.Title() + " is gone"
	case i < 0:
		return was.Title() + " no longer selects it"
	}
	return c.rank(o.id, now, rivals[i])
}

// rank is why one of two policies that select an object claims it (Karmada §2.2).
func (c *comparison) rank(id manifest.ID, winner, loser *policy.Policy) string {
	switch a, b := priority(winner), priority(loser); {
	case !winner.ClusterWide() && loser.ClusterWide():
		return "a policy of the namespace comes before a cluster-wide one"
	case a != b:
		return fmt.Sprintf("priority %d > %d", a, b)
	case c.exactness(winner, id) != c.exactness(loser, id):
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

// exactness is how well a policy selects an object.
func (c *comparison) exactness(p *policy.Policy, id manifest.ID) int {
	best := policy.NoMatch
	for _, s := range p.Spec.ResourceSelectors {
		best = max(best, s.Match(c.after.Plan.Manifest(id)))
	}
	return best
}
