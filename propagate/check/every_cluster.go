package check

import "github.com/accord-dev/accord/propagate"

var everyCluster = Check{
	Code:     "every-cluster",
	Severity: propagate.Note,
	Summary:  "an affinity that is written and empty: it selects every cluster",
	Why: "`clusterAffinity: {}` and `clusterNames: []` select the whole fleet, and every cluster that joins it later. Often the list was to be filled, " +
		"or a generator had nothing to put in. Without the field nothing is said: then it is meant so.",
	Fix: "Name the clusters, or leave the field out.",
	Example: `
placement:
  clusterAffinity:
    clusterNames: []`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		r.eachAffinity(func(a affinity) {
			if a.empty() && !a.weighs() && len(r.fleet) > 0 {
				found = append(found, at(a.meta.At(a.field), "name the clusters, or leave it out",
					"%s: %s is empty, which selects every cluster: %d today", a.title, a.field, len(r.fleet)))
			}
		})
		return found
	},
}
