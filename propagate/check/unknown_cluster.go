package check

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/affinities"
)

var unknownCluster = Check{
	Code:     "unknown-cluster",
	Severity: propagate.Error,
	Summary:  "a policy that names a cluster that is not in the fleet",
	Why: "An unknown name selects, excludes and suspends nothing. A string with several names is an error. Any other unknown name is " +
		"a warning, because the Cluster may exist on the hub only. There is no finding if the fleet has no Cluster.",
	Fix: "Write the name of the Cluster; several names are several entries of the list.",
	Example: `
placement:
  clusterAffinity:
    clusterNames: ["eu-1, eu-2"]   # one string with two names`,
	run: func(r *Review) []propagate.Finding {
		if len(r.names) == 0 {
			return nil
		}
		var findings []propagate.Finding
		r.eachClusterList(func(l clusterList) {
			for i, name := range l.names {
				if !r.known[name] && !template.MatchString(name) {
					findings = append(findings, r.unknownName(l, i))
				}
			}
		})
		return findings
	},
}

// unknownName returns the finding about one name.
func (r *Review) unknownName(l clusterList, i int) propagate.Finding {
	name, place := l.names[i], l.meta.At(fmt.Sprintf("%s[%d]", l.field, i))
	if parts := strings.FieldsFunc(name, separates); len(parts) > 1 {
		return at(place, "write one entry for each name", "%s: %s has %d names in one string, %q", l.title, l.field, len(parts), name)
	}
	fix := ""
	if near := manifest.Nearest(name, r.names); near != "" {
		fix = fmt.Sprintf("write %q", near)
	}
	f := at(place, fix, "%s: %s names cluster %q, which is not in the fleet", l.title, l.field, name)
	f.Severity = propagate.Warning
	return f
}

func separates(c rune) bool { return strings.ContainsRune(", ;\t\n", c) }

// clusterList is one list of cluster names in a policy.
type clusterList struct {
	meta  policy.Meta
	title string
	field string
	names []string
}

// eachClusterList visits every list of cluster names.
func (r *Review) eachClusterList(visit func(clusterList)) {
	affinities.Each(r.in, func(a affinities.Affinity) {
		visit(clusterList{a.Meta, a.Title, a.Field + ".clusterNames", a.ClusterNames})
		visit(clusterList{a.Meta, a.Title, a.Field + ".exclude", a.Exclude})
	})
	for _, p := range r.in.Policies {
		if s := p.Spec.Suspension; s != nil && s.DispatchingOnClusters != nil {
			visit(clusterList{p.Meta, p.Title(), "spec.suspension.dispatchingOnClusters.clusterNames", s.DispatchingOnClusters.ClusterNames})
		}
	}
}
