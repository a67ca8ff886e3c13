package importer

import (
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Rights are the least rights that reading needs: get on the selected Namespaces and list on everything else.
type Rights struct {
	Cluster    []rbacv1.PolicyRule            // for a ClusterRole
	Namespaces map[string][]rbacv1.PolicyRule // for a Role in each namespace
}

// Rights returns the rights for reading resources.
func (s Selection) Rights(resources []Resource) Rights {
	r := Rights{Namespaces: map[string][]rbacv1.PolicyRule{}}
	everywhere, inNamespaces := map[string][]string{}, map[string][]string{}
	for _, resource := range resources {
		group := resource.GroupVersionResource.Group
		switch {
		case len(s.Namespaces) == 0 || !resource.Namespaced && !resource.isNamespace():
			everywhere[group] = append(everywhere[group], resource.Name)
		case !resource.isNamespace():
			inNamespaces[group] = append(inNamespaces[group], resource.Name)
		}
	}
	r.Cluster = listRules(everywhere)
	withNamespaces := slices.ContainsFunc(resources, Resource.isNamespace)
	for _, namespace := range s.Namespaces {
		rules := listRules(inNamespaces)
		if withNamespaces {
			rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, ResourceNames: []string{namespace}, Verbs: []string{"get"}})
		}
		r.Namespaces[namespace] = rules
	}
	return r
}

func listRules(groups map[string][]string) (rules []rbacv1.PolicyRule) {
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		slices.Sort(groups[group])
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: slices.Compact(groups[group]), Verbs: []string{"list"}})
	}
	return rules
}
