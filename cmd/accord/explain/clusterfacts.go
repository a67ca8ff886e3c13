package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/phrase"
)

// clusterFacts returns the facts that decisions depend on.
func clusterFacts(c fleet.Cluster) []string {
	var all []string
	for _, f := range []struct{ name, value string }{
		{"provider", c.Provider}, {"region", c.Region}, {"zones", strings.Join(c.Zones, ", ")}, {"labels", keyValues(c.Labels)},
		{"conditions", keyValues(c.Conditions)},
	} {
		if f.value != "" {
			all = append(all, f.name+" "+f.value)
		}
	}
	for _, t := range c.Taints {
		all = append(all, "taint "+t.ToString())
	}
	if c.Leaving {
		all = append(all, "it is being deleted: nothing new goes there")
	}
	return append(all, apiFact(c.APIs), resourceFact(c.Resources))
}

func apiFact(apis *fleet.APIs) string {
	switch {
	case apis == nil:
		return "APIs not known: no kind is refused for not being served"
	case !apis.Complete:
		return fmt.Sprintf("serves %s that are known, and perhaps others", phrase.Count(len(apis.Served), "kind"))
	}
	return "serves " + phrase.Count(len(apis.Served), "kind")
}

func resourceFact(r *fleet.Resources) string {
	if r == nil {
		return "resources not known: where replicas are divided by room, it has none"
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Allocatable)) {
		of, taken := r.Allocatable[name], r.Allocated[name]
		taken.Add(r.Allocating[name])
		all = append(all, fmt.Sprintf("%s %s of %s", name, taken.String(), of.String()))
	}
	return "requested " + strings.Join(all, ", ")
}

func keyValues(m map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, key+"="+m[key])
	}
	return strings.Join(all, ", ")
}
