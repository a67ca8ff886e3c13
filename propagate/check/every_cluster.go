package check

import "github.com/accord-dev/accord/propagate"

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
		r.eachAffinity(func(a affinity) {
			if a.empty() && !a.weighs() && len(r.fleet) > 0 {
				findings = append(findings, at(a.meta.At(a.field), "name the clusters, or remove the field",
					"%s: %s is empty, which selects every cluster: %d today", a.title, a.field, len(r.fleet)))
			}
		})
		return findings
	},
}
