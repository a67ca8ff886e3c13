package propagate

import (
	"errors"
	"reflect"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/propagate/claim"
	"github.com/accord-dev/accord/propagate/exclude"
	"github.com/accord-dev/accord/propagate/rebalance"
	"github.com/accord-dev/accord/propagate/recovery"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/render/override"
)

// rules are the parts of an input that apply to every object.
type rules struct {
	exclusions   exclude.Rules
	claims       *claim.Index
	overrides    *override.Set
	rebalancers  map[manifest.ID][]string // names of the WorkloadRebalancers of each object
	interpreters scripts.Interpreters
	applySet     string
}

// newRules returns the rules of an input. It reuses what is equal in the last plan, which may be nil.
func newRules(in Input, clusters []fleet.Cluster, last *Plan) (rules, error) {
	exclusions, err := in.Skip.Rules()
	var before rules
	if last != nil {
		before = last.rules
	}
	interpreters, bookErr := before.interpreters.Next(in.Customizations, in.Health)
	overrides, planErr := recovery.Overrides(in.Recoveries, in.Overrides)
	r := rules{
		exclusions: exclusions, interpreters: interpreters, rebalancers: rebalance.Names(in.Rebalancers), applySet: applyset.ID(in.Federation),
		claims: before.claims.Next(in.Policies),
	}
	if last != nil && reflect.DeepEqual(last.members.All, clusters) {
		r.overrides = before.overrides.Next(overrides)
	} else {
		r.overrides = override.NewSet(slices.Clone(overrides), clusters)
	}
	return r, errors.Join(err, bookErr, planErr)
}

// rendersAs reports whether both rules render with the same inventory label and the same customizations of users.
func (r rules) rendersAs(other rules) bool {
	return r.applySet == other.applySet && r.interpreters.ID == other.interpreters.ID
}
