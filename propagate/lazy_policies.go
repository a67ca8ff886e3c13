package propagate

import (
	"cmp"
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/place"
	"github.com/accord-dev/accord/propagate/previous"
)

// deferIfLazy restores the previous decision when the policy is Lazy and the manifest has not changed: a change of a
// Lazy policy takes effect with the next change of the manifest (Karmada §2.7). An object without a previous decision
// is new and is placed at once. So is an object while an eviction moves it.
func (p *Plan) deferIfLazy(it *item) {
	d := it.decision
	before, known := it.last(), it.previous != nil
	if d.Policy.Spec.ActivationPreference != policy.Lazy || !known || before.Template == "" || before.Template != d.Template || d.Evictions.Open() {
		return
	}
	at := d.Policy.At("spec.activationPreference")
	waits := d.Policy.Title() + " is Lazy: its change takes effect when the manifest changes"
	waitsAt := fmt.Sprintf("%s (%s)", waits, at)
	then := *d
	then.Why, then.PlacementRetained, then.FailedTerms, then.Rebalanced = "", false, nil, before.Rebalanced
	then.Descheduled, then.Moved = before.Descheduled, false
	then.Overwrite, then.Preserve, then.Dependencies = before.Overwrite, before.Preserve, before.Dependencies
	p.restorePrevious(it, &then, waits, at, place.NoReason, func(c previous.Cluster) string {
		if !c.Held {
			return ""
		}
		return cmp.Or(d.Policy.SuspensionOn(c.Name), waitsAt)
	})
	if then.PlacesAs(d) {
		return
	}
	if then.Lazy = true; len(then.Chosen) == 0 {
		then.Why = waitsAt
	}
	*d = then
}
