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
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/render/override"
	"github.com/accord-dev/accord/status/interpret"
)

// rules are the parts of an input that apply to every object.
type rules struct {
	exclusions   exclude.Rules
	claims       *claim.Index
	overrides    *override.Set
	rebalancers  map[manifest.ID][]string // names of the WorkloadRebalancers of each object
	interpreters interpreters
	applySet     string
}

// interpreters are the customizations of users.
type interpreters struct {
	book *interpret.Book // nil without customizations
	id   string          // identifies book; empty for nil
}

// newRules returns the rules of an input. It reuses what is equal in the last plan, which may be nil.
func newRules(in Input, clusters []fleet.Cluster, last *Plan) (rules, error) {
	exclusions, err := in.Skip.Rules()
	interpreters, bookErr := newInterpreters(in, last)
	r := rules{exclusions: exclusions, interpreters: interpreters, rebalancers: rebalance.Names(in.Rebalancers), applySet: applyset.ID(in.Federation)}
	if last != nil && last.rules.claims.Has(in.Policies) {
		r.claims = last.rules.claims
	} else {
		r.claims = claim.NewIndex(slices.Clone(in.Policies)) // the caller may sort its own
	}
	if last != nil && reflect.DeepEqual(last.members.all, clusters) {
		r.overrides = last.rules.overrides.Next(in.Overrides)
	} else {
		r.overrides = override.NewSet(slices.Clone(in.Overrides), clusters)
	}
	return r, errors.Join(err, bookErr)
}

// rendersAs reports whether both rules render with the same inventory label and the same customizations of users.
func (r rules) rendersAs(other rules) bool {
	return r.applySet == other.applySet && r.interpreters.id == other.interpreters.id
}

func newInterpreters(in Input, last *Plan) (interpreters, error) {
	id := scripts.ID(in.Customizations, in.Health)
	switch {
	case id == "":
		return interpreters{}, nil
	case last != nil && last.rules.interpreters.id == id:
		return last.rules.interpreters, nil
	}
	book, err := interpret.New(in.Customizations, in.Health)
	return interpreters{book, id}, err
}
