package fleet

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// From is what deciding needs to know of a declared Cluster. origin is where its manifest stands in Git, zero when it
// was made on the hub. The deprecated zone counts as zones with one entry. What accord itself labels a Cluster with on
// the hub is left out, so that a plan is the same with and without a hub.
func From(c v1alpha1.Cluster, origin manifest.Origin) Cluster {
	zones := slices.Clone(c.Spec.Zones)
	if len(zones) == 0 && c.Spec.Zone != "" {
		zones = []string{c.Spec.Zone}
	}
	labels := maps.Clone(c.Labels)
	delete(labels, v1alpha1.SourceLabel)
	return Cluster{
		Name: c.Name, Labels: labels, Provider: c.Spec.Provider, Region: c.Spec.Region, Zones: zones,
		Taints: slices.Clone(c.Spec.Taints), Origin: origin,
	}
}
