package propagate

import (
	"cmp"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render"
)

// Parts are what a tree says, taken apart: what to run, where, with which changes, and on what.
type Parts struct {
	Objects   []render.Object
	Policies  []policy.Policy
	Overrides []policy.Override
	// TaintPolicies and Rebalancers are Karmada's ClusterTaintPolicies and WorkloadRebalancers.
	TaintPolicies []policy.TaintPolicy
	Rebalancers   []policy.Rebalancer
	// Customizations are what users know about kinds: ResourceInterpreterCustomizations.
	Customizations []policy.Customization
	// Rollouts are RolloutPolicies.
	Rollouts []policy.Rollout
	// Clusters that Git declares, sorted by name.
	Clusters []v1alpha1.Cluster
	// Origins of the Clusters, by name.
	Origins map[string]manifest.Origin
}

// Sort takes a built tree apart. Policies, overrides and Clusters are decoded strictly, with their defaults; every
// mistake in any of them is in the error, as a *manifest.Error with its file and line. Everything else is an object.
func Sort(objects []render.Object) (Parts, error) {
	parts := Parts{Origins: map[string]manifest.Origin{}}
	var errs []error
	for _, o := range objects {
		errs = append(errs, parts.add(o))
	}
	slices.SortStableFunc(parts.Clusters, func(a, b v1alpha1.Cluster) int { return cmp.Compare(a.Name, b.Name) })
	return parts, errors.Join(errs...)
}

// Fleet is the Clusters as the planner sees them.
func (p Parts) Fleet() []fleet.Cluster {
	clusters := make([]fleet.Cluster, len(p.Clusters))
	for i, c := range p.Clusters {
		clusters[i] = fleet.From(c, p.Origins[c.Name])
	}
	return clusters
}

// Input is what these parts contribute to a plan.
func (p Parts) Input() Input {
	return Input{
		Objects: p.Objects, Policies: p.Policies, Overrides: p.Overrides, Fleet: p.Fleet(),
		TaintPolicies: p.TaintPolicies, Rebalancers: p.Rebalancers, Customizations: p.Customizations, Rollouts: p.Rollouts,
	}
}

// add decodes an object that configures the federation, and keeps any other as it is.
func (p *Parts) add(o render.Object) error {
	id := o.ID()
	switch {
	case id.Group == policy.Group && (id.Kind == "PropagationPolicy" || id.Kind == "ClusterPropagationPolicy"):
		return decodeInto(&p.Policies, policy.Decode, o)
	case id.Group == policy.Group && (id.Kind == "OverridePolicy" || id.Kind == "ClusterOverridePolicy"):
		return decodeInto(&p.Overrides, policy.DecodeOverride, o)
	case id.Group == policy.Group && id.Kind == "ClusterTaintPolicy":
		return decodeInto(&p.TaintPolicies, policy.DecodeTaintPolicy, o)
	case id.Group == policy.AppsGroup && id.Kind == "WorkloadRebalancer":
		return decodeInto(&p.Rebalancers, policy.DecodeRebalancer, o)
	case id.Group == policy.ConfigGroup && id.Kind == "ResourceInterpreterCustomization":
		return decodeInto(&p.Customizations, policy.DecodeCustomization, o)
	case id.Group == policy.RolloutGroup && id.Kind == "RolloutPolicy":
		return decodeInto(&p.Rollouts, policy.DecodeRollout, o)
	case id.Kind == "Cluster" && (id.Group == v1alpha1.GroupVersion.Group || id.Group == v1alpha1.KarmadaClusterGroup):
		return p.addCluster(o)
	}
	p.Objects = append(p.Objects, o)
	return nil
}

// decodeInto adds what a manifest says to the others of its kind.
func decodeInto[T any](list *[]T, decode func(*unstructured.Unstructured, []byte, manifest.Origin) (T, error), o render.Object) error {
	decoded, err := decode(o.Manifest, o.Text, o.Origin)
	*list = append(*list, decoded)
	return err
}

func (p *Parts) addCluster(o render.Object) error {
	c, err := v1alpha1.DecodeCluster(o.Manifest, o.Text, o.Origin)
	if err != nil {
		return err
	}
	if other, twin := p.Origins[c.Name]; twin {
		return duplicate("Cluster "+c.Name, other, o.Origin)
	}
	p.Origins[c.Name] = o.Origin
	p.Clusters = append(p.Clusters, c)
	return nil
}
