package fleet

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// From returns the planner's view of a Cluster. origin is the place of its manifest in Git, zero if it was created on
// the hub. The deprecated zone counts as zones with one entry. Labels that accord itself sets on the hub are left
// out, so that a plan is the same with and without a hub.
func From(c v1alpha1.Cluster, origin manifest.Origin) Cluster {
	zones := slices.Clone(c.Spec.Zones)
	if len(zones) == 0 && c.Spec.Zone != "" {
		zones = []string{c.Spec.Zone}
	}
	labels := maps.Clone(c.Labels)
	delete(labels, v1alpha1.SourceLabel)
	return Cluster{
		Name: c.Name, Labels: labels, Provider: c.Spec.Provider, Region: c.Spec.Region, Zones: zones,
		Taints: taints(c.Spec.Taints, c.Status.Taints), Hold: c.Spec.Hold.DeepCopy(), Leaving: c.DeletionTimestamp != nil,
		Conditions: conditions(c.Status.Conditions), APIs: apis(c.Status), Resources: resources(c.Status.ResourceSummary),
		Models: models(c), Origin: origin,
	}
}

// FromAll returns From of each Cluster, with its place in origins. Clusters that serve the same kinds share one APIs, which nobody may
// change: most clusters of a fleet do, and a list of kinds takes ten times the memory of the rest.
func FromAll(all []v1alpha1.Cluster, origins map[string]manifest.Origin) []Cluster {
	values, distinct := make([]Cluster, len(all)), []int{}
	for i, c := range all {
		same := slices.IndexFunc(distinct, func(at int) bool { return serveSame(all[at].Status, c.Status) })
		if same >= 0 {
			c.Status.APIEnablements = nil // instead of decoding them again
		}
		values[i] = From(c, origins[c.Name])
		switch {
		case same >= 0:
			values[i].APIs = values[distinct[same]].APIs
		case len(distinct) < mostDistinct:
			distinct = append(distinct, i)
		}
	}
	return values
}

// mostDistinct bounds the lists of kinds that a cluster is compared with.
const mostDistinct = 16

// serveSame reports whether two statuses have the same APIs.
func serveSame(a, b v1alpha1.ClusterStatus) bool {
	return hasAllAPIs(a) == hasAllAPIs(b) && slices.EqualFunc(a.APIEnablements, b.APIEnablements, func(x, y v1alpha1.APIEnablement) bool {
		return x.GroupVersion == y.GroupVersion && slices.Equal(x.Resources, y.Resources)
	})
}

func hasAllAPIs(s v1alpha1.ClusterStatus) bool {
	return slices.ContainsFunc(s.Conditions, func(c metav1.Condition) bool {
		return c.Type == v1alpha1.CompleteAPIEnablements && c.Status == metav1.ConditionTrue
	})
}

// taints merges declared taints with those of policies. A declared taint replaces one of a policy with the same key
// and effect, because a person wrote it.
func taints(declared, added []corev1.Taint) []corev1.Taint {
	all := slices.Clone(declared)
	for _, t := range added {
		if !slices.ContainsFunc(declared, func(d corev1.Taint) bool { return d.MatchTaint(&t) }) {
			all = append(all, t)
		}
	}
	return all
}

func conditions(list []metav1.Condition) map[string]string {
	if len(list) == 0 {
		return nil
	}
	by := make(map[string]string, len(list))
	for _, c := range list {
		by[c.Type] = string(c.Status)
	}
	return by
}

// apis returns nil if discovery never succeeded, even in part, or if the list was too long for the status.
func apis(s v1alpha1.ClusterStatus) *APIs {
	complete := hasAllAPIs(s)
	if len(s.APIEnablements) == 0 {
		return nil
	}
	served := map[schema.GroupVersionKind]bool{}
	var clusterScoped map[schema.GroupKind]bool
	for _, enabled := range s.APIEnablements {
		gv, err := schema.ParseGroupVersion(enabled.GroupVersion)
		if err != nil {
			complete = false // a malformed version is an unknown one
			continue
		}
		for _, r := range enabled.Resources {
			served[gv.WithKind(r.Kind)] = true
			if r.Scope != "" && strings.Contains(gv.Group, ".") {
				if clusterScoped == nil {
					clusterScoped = map[schema.GroupKind]bool{}
				}
				clusterScoped[schema.GroupKind{Group: gv.Group, Kind: r.Kind}] = r.Scope == v1alpha1.ScopeCluster
			}
		}
	}
	return &APIs{Complete: complete, Served: served, ClusterScoped: clusterScoped}
}

func resources(s *v1alpha1.ResourceSummary) *Resources {
	if s == nil {
		return nil
	}
	r := &Resources{Allocatable: s.Allocatable.DeepCopy(), Allocated: s.Allocated.DeepCopy(), Allocating: s.Allocating.DeepCopy()}
	for _, m := range s.AllocatableModelings {
		if r.Nodes == nil {
			r.Nodes = map[uint32]int64{}
		}
		r.Nodes[m.Grade] += m.Count
	}
	return r
}

// models returns the declared grades, or the default ones if nodes were counted in them (Karmada §1.8). Node counts
// of grades that are no longer declared are dropped.
func models(c v1alpha1.Cluster) []Model {
	declared := v1alpha1.StandardResourceModels(c.Spec.ResourceModels)
	if len(declared) == 0 && c.Status.ResourceSummary != nil && c.Status.ResourceSummary.DefaultModels {
		declared = v1alpha1.DefaultResourceModels()
	}
	var all []Model
	for _, m := range declared {
		least := corev1.ResourceList{}
		for _, r := range m.Ranges {
			least[r.Name] = r.Min.DeepCopy()
		}
		all = append(all, Model{Grade: m.Grade, Min: least})
	}
	return all
}
