package check

import (
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/affinities"
)

var everyCluster = Check{
	Code:     "every-cluster",
	Severity: propagate.Note,
	Summary:  "an affinity that is present and empty: it selects every cluster",
	Why: "`clusterAffinity: {}` and `clusterNames: []` select the whole fleet, and every cluster that joins later. Often the list is " +
		"unfinished, or a generator had no value for it. There is no finding if the field is absent.",
	Fix: "Name the clusters, or remove the field.",
	Example: `
placement:
  clusterAffinity:
    clusterNames: []`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		affinities.Each(r.in, func(a affinities.Affinity) {
			if a.Empty() && !a.Weighs() && len(r.fleet) > 0 {
				findings = append(findings, at(a.Meta.At(a.Field), "name the clusters, or remove the field",
					"%s: %s is empty, which selects every cluster: %d today", a.Title, a.Field, len(r.fleet)))
			}
		})
		return findings
	},
}
