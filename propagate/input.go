package propagate

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/interpret"
)

// Input is all that a decision depends on. The same Input always gives the same Plan; it can be written
// to one text file and read back (Dump, Load).
type Input struct {
	// Federation is "<namespace>/<name>" of the Federation; it marks what is ours on the members.
	Federation string
	Revision   string
	Objects    []render.Object
	Policies   []policy.Policy
	Overrides  []policy.Override
	Fleet      []fleet.Cluster
	// TaintPolicies taint clusters by their conditions (Karmada §1.7), Rebalancers ask for a fresh division (Karmada §4.11).
	TaintPolicies []policy.TaintPolicy
	Rebalancers   []policy.Rebalancer
	// Rollouts say in which order clusters get a change (propagate/stage). They do not change what is wanted.
	Rollouts []policy.Rollout
	// Customizations and Health are what users know about kinds (Karmada §7.1, and Flux's healthCheckExprs).
	Customizations []policy.Customization
	Health         []interpret.HealthExprs
	// Skip is what the Federation never propagates, beside the defaults (Karmada §8.2).
	Skip Skip
	// Now is the time: a hold of a cluster may end by itself. At the zero time none has.
	Now time.Time
	// Previous is what was decided the last time, in any order; see Plan.Previous. Without it every object is new.
	Previous []Previous
}

// WithFederation is the input with what a Federation says: its name, what it never propagates, and the health of kinds.
func (in Input) WithFederation(fed *v1alpha1.Federation) Input {
	in.Federation = fed.Namespace + "/" + fed.Name
	in.Skip = Skip{Namespaces: fed.Spec.SkippedNamespaces, APIs: fed.Spec.SkippedAPIs}
	in.Health = nil
	for i, h := range fed.Spec.HealthCheckExprs {
		in.Health = append(in.Health, interpret.HealthExprs{
			At:         manifest.Origin{Path: fmt.Sprintf("Federation %s spec.healthCheckExprs[%d]", in.Federation, i)},
			APIVersion: h.APIVersion, Kind: h.Kind, Current: h.Current, InProgress: h.InProgress, Failed: h.Failed,
		})
	}
	return in
}
