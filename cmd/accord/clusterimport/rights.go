package clusterimport

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/leastrole"
	"github.com/accord-dev/accord/propagate/importer"
)

// account is the name of the ServiceAccount, of its roles and of their bindings.
const account = "accord-import"

// rightsFor returns the rights for the kinds of all clusters.
func rightsFor(selection importer.Selection, sources []*source) leastrole.Rules {
	seen := map[string]importer.Resource{}
	for _, s := range sources {
		for _, r := range s.resources {
			seen[key(r)] = r
		}
	}
	var all []importer.Resource
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		all = append(all, seen[name])
	}
	return selection.Rights(all)
}

// describeRights says what the import is about to read, before it does.
func describeRights(out io.Writer, selection importer.Selection, sources []*source) {
	rights := rightsFor(selection, sources)
	for _, s := range sources {
		fmt.Fprintf(out, "cluster %s at %s\n", s.name, s.config.Host)
	}
	fmt.Fprintln(out, "the import needs these rights, and no others:")
	for _, namespace := range rights.Namespaces() {
		where := "in " + namespace
		if namespace == "" {
			where = "in all namespaces"
		}
		for _, rule := range rights[namespace] {
			names := slices.Clone(rule.Resources)
			for i := range names {
				if rule.APIGroups[0] != "" {
					names[i] += "." + rule.APIGroups[0]
				}
			}
			fmt.Fprintf(out, "  %s %s %s\n", strings.Join(rule.Verbs, ","), strings.Join(names, ", "), where)
		}
	}
}

// printRights writes an account with the rights as manifests.
func printRights(out io.Writer, selection importer.Selection, sources []*source) error {
	return text.Manifests(out, rightsFor(selection, sources).WithAccount(hub.SystemNamespace, account, account))
}
