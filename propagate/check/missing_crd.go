package check

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var missingCRD = Check{
	Code:     "missing-crd",
	Severity: propagate.Warning,
	Summary:  "objects on clusters that do not get their CustomResourceDefinition",
	Why: "The API server of the cluster rejects the object until somebody installs the definition there. accord reports definitions " +
		"in the repository that go to other clusters only, unless the cluster is known to serve the kind.",
	Fix: "Place the CustomResourceDefinition on all of these clusters, with a ClusterPropagationPolicy.",
	Example: `
kind: ClusterPropagationPolicy
metadata: {name: crontabs}
spec:
  resourceSelectors: [{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, name: crontabs.example.com}]
  placement: {clusterAffinity: {clusterNames: [eu]}}   # and the CronTabs go to eu and us`,
	run: func(r *Review) []propagate.Finding {
		served := map[string]*fleet.APIs{}
		for _, c := range r.fleet {
			served[c.Name] = c.APIs
		}
		var findings []propagate.Finding
		for _, crd := range r.byKind()[manifest.DefinitionKind] {
			defined := manifest.Defines(crd.manifest.Get())
			missing := map[string]bool{}
			var objects []*object
			for _, o := range r.byKind()[defined] {
				lacking := slices.DeleteFunc(clustersOf(o), func(cluster string) bool {
					return slices.Contains(clustersOf(crd), cluster) || len(served[cluster].Versions(defined)) > 0
				})
				for _, cluster := range lacking {
					missing[cluster] = true
				}
				if len(lacking) > 0 {
					objects = append(objects, o)
				}
			}
			if len(objects) > 0 {
				findings = append(findings, at(crd.Origin, "place the definition there as well",
					"%s goes %s, and %s goes to %s", short(crd.ID), whereTo(crd), some(objects), phrase.And(slices.Sorted(maps.Keys(missing)), named)))
			}
		}
		return findings
	},
}

func clustersOf(o *object) []string {
	names := make([]string, len(o.Chosen))
	for i, c := range o.Chosen {
		names[i] = c.Cluster
	}
	return names
}

// whereTo returns "to eu and us" or "nowhere".
func whereTo(o *object) string {
	if len(o.Chosen) == 0 {
		return "nowhere"
	}
	return "to " + phrase.And(clustersOf(o), named)
}
