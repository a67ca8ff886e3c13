package importer

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/internal/leastrole"
)

// Rights returns the least rights for reading resources: get on the selected Namespaces, and list on everything else.
func (s Selection) Rights(resources []Resource) leastrole.Rules {
	rules := leastrole.Rules{}
	var everywhere, inNamespaces []schema.GroupResource
	for _, r := range resources {
		switch of := r.GroupVersionResource.GroupResource(); {
		case len(s.Namespaces) == 0 || !r.Namespaced && !r.isNamespace():
			everywhere = append(everywhere, of)
		case !r.isNamespace():
			inNamespaces = append(inNamespaces, of)
		}
	}
	rules.Add("", everywhere, "list")
	for _, namespace := range s.Namespaces {
		rules.Add(namespace, inNamespaces, "list")
		if slices.ContainsFunc(resources, Resource.isNamespace) {
			rules[namespace] = append(rules[namespace], rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, ResourceNames: []string{namespace}, Verbs: []string{"get"}})
		}
	}
	return rules
}
