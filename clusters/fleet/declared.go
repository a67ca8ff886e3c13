package fleet

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Declared returns spec and status of a Cluster from which From restores c.
func (c Cluster) Declared() (v1alpha1.ClusterSpec, v1alpha1.ClusterStatus) {
	spec := v1alpha1.ClusterSpec{Provider: c.Provider, Region: c.Region, Zones: c.Zones, Taints: c.Taints, Hold: c.Hold, ResourceModels: c.ranges()}
	var status v1alpha1.ClusterStatus
	for _, t := range slices.Sorted(maps.Keys(c.Conditions)) {
		status.Conditions = append(status.Conditions, metav1.Condition{Type: t, Status: metav1.ConditionStatus(c.Conditions[t])})
	}
	status.APIEnablements = c.APIs.enablements()
	if r := c.Resources; r != nil {
		status.ResourceSummary = &v1alpha1.ResourceSummary{Allocatable: r.Allocatable, Allocated: r.Allocated, Allocating: r.Allocating}
		for _, grade := range slices.Sorted(maps.Keys(r.Nodes)) {
			status.ResourceSummary.AllocatableModelings = append(status.ResourceSummary.AllocatableModelings,
				v1alpha1.AllocatableModeling{Grade: grade, Count: r.Nodes[grade]})
		}
	}
	return spec, status
}

// ranges returns the models in Karmada's form: each grade ends where the next begins.
func (c Cluster) ranges() []v1alpha1.ResourceModel {
	var all []v1alpha1.ResourceModel
	for i, m := range c.Models {
		declared := v1alpha1.ResourceModel{Grade: m.Grade}
		for _, name := range slices.Sorted(maps.Keys(m.Min)) {
			most := *resource.NewQuantity(1<<63-1, resource.DecimalSI)
			if i+1 < len(c.Models) {
				most = c.Models[i+1].Min[name]
			}
			declared.Ranges = append(declared.Ranges, v1alpha1.ResourceModelRange{Name: name, Min: m.Min[name], Max: most})
		}
		all = append(all, declared)
	}
	return all
}

// enablements returns the served kinds, sorted by group and version and by kind.
func (a *APIs) enablements() []v1alpha1.APIEnablement {
	if a == nil {
		return nil
	}
	kinds := map[string][]v1alpha1.APIResource{}
	for gvk, served := range a.Served {
		if served {
			gv := gvk.GroupVersion().String()
			kinds[gv] = append(kinds[gv], v1alpha1.APIResource{Kind: gvk.Kind, Scope: a.scope(gvk.GroupKind())})
		}
	}
	var all []v1alpha1.APIEnablement
	for _, gv := range slices.Sorted(maps.Keys(kinds)) {
		slices.SortFunc(kinds[gv], func(a, b v1alpha1.APIResource) int { return strings.Compare(a.Kind, b.Kind) })
		all = append(all, v1alpha1.APIEnablement{GroupVersion: gv, Resources: kinds[gv]})
	}
	return all
}

// scope returns the scope of a kind in the form of a status; empty if it is unknown.
func (a *APIs) scope(gk schema.GroupKind) string {
	switch clusterScoped, known := a.ClusterScoped[gk]; {
	case !known:
		return ""
	case clusterScoped:
		return v1alpha1.ScopeCluster
	}
	return v1alpha1.ScopeNamespaced
}
