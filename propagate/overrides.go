package propagate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// overrides knows which override rules apply on which clusters, so that the planner renders an object once for all
// clusters with the same rules.
type overrides struct {
	all      []policy.Override
	byKind   map[schema.GroupKind][]int // overrides with a selector for the kind
	always   []int                      // overrides without selectors
	relabels []bool                     // by override: can it change labels?
	// applies[override][rule][cluster]
	applies [][][]bool
}

func newOverrides(all []policy.Override, clusters []fleet.Cluster) *overrides {
	o := &overrides{all: all, byKind: map[schema.GroupKind][]int{}, applies: make([][][]bool, len(all)), relabels: make([]bool, len(all))}
	for i, override := range all {
		o.relabels[i] = relabels(override)
		if len(override.Spec.ResourceSelectors) == 0 {
			o.always = append(o.always, i)
		}
		for _, s := range override.Spec.ResourceSelectors {
			gk := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).GroupKind()
			if !slices.Contains(o.byKind[gk], i) {
				o.byKind[gk] = append(o.byKind[gk], i)
			}
		}
		for _, rule := range override.Spec.OverrideRules {
			o.applies[i] = append(o.applies[i], on(rule, clusters))
		}
	}
	return o
}

// has reports whether there is an override policy of this name; the namespace "" has the cluster-wide ones.
func (o *overrides) has(namespace, name string) bool {
	return slices.ContainsFunc(o.all, func(p policy.Override) bool { return p.Namespace == namespace && p.Name == name })
}

// on returns for each cluster whether a rule applies there.
func on(rule policy.OverrideRule, clusters []fleet.Cluster) []bool {
	applies := make([]bool, len(clusters))
	for i, c := range clusters {
		applies[i] = true
		if rule.TargetCluster != nil {
			applies[i], _, _ = c.Matches(*rule.TargetCluster)
		}
	}
	return applies
}

// candidates returns the overrides that may select u. Fewer candidates mean that more clusters share a result. Labels
// count unless a cluster-wide override that selects u changes labels: a namespaced override selects by the changed ones
// (Karmada §3.2).
func (o *overrides) candidates(u *unstructured.Unstructured) []int {
	var found, local []int
	relabelled := false
	for _, list := range [][]int{o.always, o.byKind[u.GroupVersionKind().GroupKind()]} {
		for _, i := range list {
			switch override := &o.all[i]; {
			case !override.ClusterWide():
				local = append(local, i)
			case o.selects(override, u):
				found = append(found, i)
				relabelled = relabelled || o.relabels[i]
			}
		}
	}
	for _, i := range local {
		if relabelled && o.maySelect(o.all[i], u) || !relabelled && o.selects(&o.all[i], u) {
			found = append(found, i)
		}
	}
	return found
}

// selects reports whether an override selects u as it is.
func (o *overrides) selects(override *policy.Override, u *unstructured.Unstructured) bool {
	if !override.ClusterWide() && override.Namespace != u.GetNamespace() {
		return false
	}
	return len(override.Spec.ResourceSelectors) == 0 || selects(override.Spec.ResourceSelectors, u) != policy.NoMatch
}

// relabels reports whether an override can change the labels of the objects it selects.
func relabels(override policy.Override) bool {
	return slices.ContainsFunc(override.Spec.OverrideRules, func(r policy.OverrideRule) bool {
		return len(r.Overriders.LabelsOverrider) > 0 || slices.ContainsFunc(r.Overriders.Plaintext, func(p policy.PlaintextOverrider) bool {
			return p.Path == "" || p.Path == "/metadata" || strings.HasPrefix(p.Path, "/metadata/labels")
		})
	})
}

func (o *overrides) maySelect(override policy.Override, u *unstructured.Unstructured) bool {
	if !override.ClusterWide() && override.Namespace != u.GetNamespace() {
		return false
	}
	return len(override.Spec.ResourceSelectors) == 0 ||
		slices.ContainsFunc(override.Spec.ResourceSelectors, func(s policy.ResourceSelector) bool {
			s.LabelSelector = nil
			return s.Match(u) != policy.NoMatch
		})
}

// pick returns the candidates for override.Apply.
func (o *overrides) pick(candidates []int) []policy.Override {
	picked := make([]policy.Override, len(candidates))
	for i, c := range candidates {
		picked[i] = o.all[c]
	}
	return picked
}

// key appends one byte for every rule of the candidates: does it apply on the cluster?
func (o *overrides) key(b []byte, candidates []int, cluster int) []byte {
	for _, c := range candidates {
		for _, applies := range o.applies[c] {
			if applies[cluster] {
				b = append(b, 'y')
			} else {
				b = append(b, 'n')
			}
		}
	}
	return b
}
