package propagate

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/exclude"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/interpret"
)

// Input has everything that a decision depends on. The same Input always gives the same Plan; package dump writes it to
// one text file and reads it back.
type Input struct {
	// Federation is "<namespace>/<name>" of the Federation; it marks our objects on the members.
	Federation string
	Revision   string
	Objects    []render.Object
	Policies   []*policy.Policy
	Overrides  []*policy.Override
	Fleet      []fleet.Cluster
	// Declared are the Clusters and Federations as Git declares them. Fleet has the Clusters as the hub has them.
	Declared control.Declared
	// TaintPolicies taint clusters by their conditions (Karmada §1.7), Rebalancers request a fresh division (Karmada
	// §4.11).
	TaintPolicies []policy.TaintPolicy
	Rebalancers   []policy.Rebalancer
	// Rollouts set the order in which clusters get a change (propagate/stage). They do not change the desired objects.
	Rollouts []policy.Rollout
	// Recoveries are the RecoveryPlans (package recovery).
	Recoveries []policy.Recovery
	// Customizations and Health teach accord about kinds (Karmada §7.1, and Flux's healthCheckExprs).
	Customizations []policy.Customization
	Health         []interpret.HealthExprs
	// Skip excludes namespaces and APIs of the Federation, beside the defaults (Karmada §8.2).
	Skip exclude.Skip
	// Failover reports whether the Federation enables failover. Evictions follow from their tasks alone: only checks read it.
	Failover bool
	// Now is the current time: the hold of a cluster may expire. At the zero time no hold has expired.
	Now time.Time
	// Previous has the decisions of the last plan, in any order; see Plan.Previous. Without it every object is new.
	Previous []*previous.Decision
	// Evictions are the evictions of each object, as its FederatedObject records them (package eviction). Objects without one are missing.
	Evictions map[manifest.ID][]v1alpha1.GracefulEvictionTask
	// Unschedulable are the replicas that the descheduler may move, at most one entry for each object and cluster, in any order.
	Unschedulable []deschedule.Copy
	// Shared has the rendered objects in compact form, and the differences from the objects of another input.
	render.Shared
}

// WithFederation returns the input with the settings of a Federation: its name, its exclusions, and the health of
// kinds.
func (in Input) WithFederation(fed *v1alpha1.Federation) Input {
	in.Federation = fed.Namespace + "/" + fed.Name
	in.Skip = exclude.Skip{Namespaces: fed.Spec.SkippedNamespaces, APIs: fed.Spec.SkippedAPIs}
	in.Failover = fed.Spec.Failover != nil && fed.Spec.Failover.Enabled
	in.Health = nil
	for i, h := range fed.Spec.HealthCheckExprs {
		in.Health = append(in.Health, interpret.HealthExprs{
			At:         manifest.Origin{Path: fmt.Sprintf("Federation %s spec.healthCheckExprs[%d]", in.Federation, i)},
			APIVersion: h.APIVersion, Kind: h.Kind, Current: h.Current, InProgress: h.InProgress, Failed: h.Failed,
		})
	}
	return in
}

// Control returns the manifests that decide and are no objects, sorted by kind and name.
func (in Input) Control() []control.Item {
	origins := make(map[string]manifest.Origin, len(in.Fleet))
	for _, c := range in.Fleet {
		origins[c.Name] = c.Origin
	}
	return control.Set{
		Declared: in.Declared, Customizations: in.Customizations, Health: in.Health, Rollouts: in.Rollouts, Recoveries: in.Recoveries,
		TaintPolicies: in.TaintPolicies, Policies: in.Policies, Origins: origins,
	}.Items()
}

// duplicates returns an error for each manifest beside the objects that is there twice. The policies of an earlier plan were unique.
func (in Input) duplicates(now rules, last *Plan) (errs []error) {
	if last == nil || now.claims != last.rules.claims {
		errs = manifest.Duplicates(in.Policies, func(p *policy.Policy) (string, manifest.Origin) { return p.Title(), p.Origin })
	}
	if last == nil || now.overrides != last.rules.overrides {
		errs = append(errs, manifest.Duplicates(in.Overrides, func(o *policy.Override) (string, manifest.Origin) { return o.Title(), o.Origin })...)
	}
	errs = append(errs, manifest.Duplicates(in.TaintPolicies, func(t policy.TaintPolicy) (string, manifest.Origin) { return t.Title(), t.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Rebalancers, func(r policy.Rebalancer) (string, manifest.Origin) { return r.Title(), r.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Rollouts, func(r policy.Rollout) (string, manifest.Origin) { return r.Title(), r.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Recoveries, func(r policy.Recovery) (string, manifest.Origin) { return r.Title(), r.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Customizations, func(c policy.Customization) (string, manifest.Origin) { return c.Title(), c.Origin })...)
	errs = append(errs, manifest.Duplicates(in.Fleet, func(c fleet.Cluster) (string, manifest.Origin) { return "Cluster " + c.Name, c.Origin })...)
	return errs
}
