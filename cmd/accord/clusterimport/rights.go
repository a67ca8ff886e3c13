package clusterimport

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/importer"
)

// account is the name of the ServiceAccount, the roles and the bindings.
const account = "accord-import"

// rightsFor returns the rights for the kinds of all clusters.
func rightsFor(selection importer.Selection, sources []*source) importer.Rights {
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
	describe := func(where string, rules []rbacv1.PolicyRule) {
		for _, rule := range rules {
			names := slices.Clone(rule.Resources)
			for i := range names {
				if rule.APIGroups[0] != "" {
					names[i] += "." + rule.APIGroups[0]
				}
			}
			fmt.Fprintf(out, "  %s %s %s\n", strings.Join(rule.Verbs, ","), strings.Join(names, ", "), where)
		}
	}
	describe("in all namespaces", rights.Cluster)
	for _, namespace := range slices.Sorted(maps.Keys(rights.Namespaces)) {
		describe("in "+namespace, rights.Namespaces[namespace])
	}
}

// printRights writes an account with the rights as manifests.
func printRights(out io.Writer, selection importer.Selection, sources []*source) error {
	rights := rightsFor(selection, sources)
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: hub.SystemNamespace, Name: account}}
	meta := func(kind, namespace, name string) map[string]any {
		version := "v1"
		if strings.Contains(kind, "Role") {
			version = rbacv1.SchemeGroupVersion.String()
		}
		metadata := map[string]any{"name": name}
		if namespace != "" {
			metadata["namespace"] = namespace
		}
		return map[string]any{"apiVersion": version, "kind": kind, "metadata": metadata}
	}
	documents := []map[string]any{meta("Namespace", metav1.NamespaceNone, hub.SystemNamespace), meta("ServiceAccount", hub.SystemNamespace, account)}
	bind := func(kind, namespace string, rules []rbacv1.PolicyRule) {
		if len(rules) == 0 {
			return
		}
		role, binding := meta(kind, namespace, account), meta(kind+"Binding", namespace, account)
		role["rules"] = rules
		binding["roleRef"] = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: account}
		binding["subjects"] = subjects
		documents = append(documents, role, binding)
	}
	bind("ClusterRole", "", rights.Cluster)
	for _, namespace := range slices.Sorted(maps.Keys(rights.Namespaces)) {
		bind("Role", namespace, rights.Namespaces[namespace])
	}
	return text.Manifests(out, documents)
}
