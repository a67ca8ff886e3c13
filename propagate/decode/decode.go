// Package decode separates the manifests of a tree by their role: objects, policies, Clusters. It decodes all but the objects.
package decode

import (
	"cmp"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/render"
)

// Parts are the manifests of a tree, decoded and separated by their role.
type Parts struct {
	// Shared is that of the Input; zero by default.
	render.Shared
	Objects   []render.Object
	Policies  []*policy.Policy
	Overrides []*policy.Override
	// TaintPolicies and Rebalancers are Karmada's ClusterTaintPolicies and WorkloadRebalancers.
	TaintPolicies []policy.TaintPolicy
	Rebalancers   []policy.Rebalancer
	// Customizations are ResourceInterpreterCustomizations.
	Customizations []policy.Customization
	Rollouts       []policy.Rollout
	Recoveries     []policy.Recovery
	// Clusters that Git declares, sorted by name.
	Clusters []v1alpha1.Cluster
	// Origins of the Clusters, by name.
	Origins map[string]manifest.Origin
	// Federations that Git declares; see WithFederations.
	Federations []control.Federation
}

// Sort separates the objects of a built tree. It decodes policies, overrides and Clusters strictly, with their
// defaults; the error has every mistake in any of them, as a *manifest.Error with file and line. Everything else is an
// object.
func Sort(objects []render.Object) (Parts, error) { return new(Sorter).Sort(objects) }

// written is a manifest with its place, which errors about the decoded value name.
type written struct {
	manifest *manifest.Packed
	origin   manifest.Origin
}

// Sort works as the function Sort.
func (s *Sorter) Sort(objects []render.Object) (Parts, error) {
	n := sorting{before: s.decoded, now: map[written]any{}, parts: Parts{Origins: map[string]manifest.Origin{}}}
	defined := definedKinds(objects)
	mistakes := map[schema.GroupKind]mistake{}
	var errs []error
	var last schema.GroupKind // many objects of one kind follow each other
	var m mistake
	for i := range objects {
		o := &objects[i]
		if kind := o.ID().GroupKind(); i == 0 || kind != last {
			var known bool
			if m, known = mistakes[kind]; !known {
				if m.message, m.field = policy.CheckKind(kind); defined[kind] {
					m.message = ""
				}
				mistakes[kind] = m
			}
			last = kind
		}
		var err error
		placed := len(n.parts.Objects)
		if m.message != "" {
			err = &manifest.Error{Origin: manifest.LinesOf(o.Text, o.Origin.Line).At(o.Origin, m.field), Message: m.message}
		} else {
			err = n.add(objects, i)
		}
		if err != nil {
			errs = append(errs, err)
		}
		if len(n.parts.Objects) == placed {
			n.others = append(n.others, i)
		}
	}
	slices.SortStableFunc(n.parts.Clusters, func(a, b v1alpha1.Cluster) int { return cmp.Compare(a.Name, b.Name) })
	s.decoded, s.last = n.now, sorted{objects, n.parts, n.others, n.copied}
	if len(errs) > 0 {
		s.last = sorted{}
	}
	return n.parts, errors.Join(errs...)
}

// mistake is a mistake in the group or kind of objects; without a message there is none.
type mistake struct{ message, field string }

// sorting is one call of Sort.
type sorting struct {
	before, now map[written]any
	parts       Parts
	first       int   // place of the first object of parts in the list
	copied      bool  // parts has its own list of objects
	others      []int // places of what is not among the objects of parts
}

// definedKinds returns the kinds of the CustomResourceDefinitions among the objects.
func definedKinds(objects []render.Object) map[schema.GroupKind]bool {
	defined := map[schema.GroupKind]bool{}
	for i := range objects {
		if o := &objects[i]; o.ID().GroupKind() == manifest.DefinitionKind {
			defined[manifest.Defines(o.Manifest.Get())] = true
		}
	}
	return defined
}

// Fleet returns the Clusters as the planner sees them.
func (p Parts) Fleet() []fleet.Cluster {
	clusters := make([]fleet.Cluster, len(p.Clusters))
	for i, c := range p.Clusters {
		clusters[i] = fleet.From(c, p.Origins[c.Name])
	}
	return clusters
}

// Input returns the input of a plan for these parts.
func (p Parts) Input() propagate.Input {
	return propagate.Input{
		Objects: p.Objects, Policies: p.Policies, Overrides: p.Overrides, Fleet: p.Fleet(), Declared: control.Declared{Clusters: control.DeclaredClusters(p.Clusters), Federations: p.Federations},
		TaintPolicies: p.TaintPolicies, Rebalancers: p.Rebalancers, Customizations: p.Customizations, Rollouts: p.Rollouts, Recoveries: p.Recoveries, Shared: p.Shared,
	}
}

// add decodes an object of a list if it configures the federation, and keeps any other as it is.
func (n *sorting) add(objects []render.Object, i int) error {
	p, o := &n.parts, &objects[i]
	id := o.ID()
	switch {
	case id.Group == policy.Group && (id.Kind == "PropagationPolicy" || id.Kind == "ClusterPropagationPolicy"):
		return decodeInto(n, &p.Policies, policy.Decode, *o)
	case id.Group == policy.Group && (id.Kind == "OverridePolicy" || id.Kind == "ClusterOverridePolicy"):
		return decodeInto(n, &p.Overrides, policy.DecodeOverride, *o)
	case id.Group == policy.Group && id.Kind == "ClusterTaintPolicy":
		return decodeInto(n, &p.TaintPolicies, policy.DecodeTaintPolicy, *o)
	case id.Group == policy.AppsGroup && id.Kind == "WorkloadRebalancer":
		return decodeInto(n, &p.Rebalancers, policy.DecodeRebalancer, *o)
	case id.Group == policy.ConfigGroup && id.Kind == "ResourceInterpreterCustomization":
		return decodeInto(n, &p.Customizations, policy.DecodeCustomization, *o)
	case id.Group == policy.RolloutGroup && id.Kind == "RolloutPolicy":
		return decodeInto(n, &p.Rollouts, policy.DecodeRollout, *o)
	case id.Group == policy.RolloutGroup && id.Kind == "RecoveryPlan":
		return decodeInto(n, &p.Recoveries, policy.DecodeRecovery, *o)
	case id.Kind == "Cluster" && (id.Group == v1alpha1.GroupVersion.Group || id.Group == v1alpha1.KarmadaClusterGroup):
		return p.addCluster(*o)
	}
	n.keep(objects, i)
	return nil
}

// keep adds an object of a list to those that the plan places. While they follow each other in the list, they are a part of the list:
// most repositories keep policies apart, and a copy of thousands of objects for each push costs more than the rest of Sort allocates.
func (n *sorting) keep(objects []render.Object, i int) {
	kept := &n.parts.Objects
	switch last := len(*kept); {
	case last == 0:
		n.first = i
		*kept = objects[i : i+1 : i+1]
	case !n.copied && n.first+last == i:
		*kept = objects[n.first : i+1 : i+1]
	case !n.copied:
		n.copied = true
		*kept = append(make([]render.Object, 0, len(objects)), *kept...)
		fallthrough
	default:
		*kept = append(*kept, objects[i])
	}
}

// decodeInto appends the decoded manifest to a list.
func decodeInto[T any](n *sorting, list *[]T, decode func(*unstructured.Unstructured, []byte, manifest.Origin) (T, error), o render.Object) error {
	key := written{o.Manifest, o.Origin}
	if known, is := n.before[key].(T); is {
		n.now[key] = known
		*list = append(*list, known)
		return nil
	}
	decoded, err := decode(o.Manifest.Get(), o.Text, o.Origin)
	if err == nil {
		n.now[key] = decoded
	}
	*list = append(*list, decoded)
	return err
}

func (p *Parts) addCluster(o render.Object) error {
	c, err := v1alpha1.DecodeCluster(o.Manifest.Get(), o.Text, o.Origin)
	if err != nil {
		return err
	}
	if other, twin := p.Origins[c.Name]; twin {
		return manifest.Duplicate("Cluster "+c.Name, other, o.Origin)
	}
	p.Origins[c.Name] = o.Origin
	p.Clusters = append(p.Clusters, c)
	return nil
}
