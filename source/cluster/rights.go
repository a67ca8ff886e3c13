package cluster

import (
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// readVerbs are the only verbs that a Reader sends.
var readVerbs = []string{"get", "list", "watch"}

// Rights returns the least roles with which a subject can read scopes, with their bindings: a Role for each namespace that the selection
// names, and a ClusterRole for the rest.
func Rights(scopes []Scope, name string, subject rbacv1.Subject) []runtime.Object {
	byNamespace := map[string]map[string][]string{} // namespace, group, resources
	for _, s := range scopes {
		groups := byNamespace[s.Namespace]
		if groups == nil {
			groups = map[string][]string{}
			byNamespace[s.Namespace] = groups
		}
		for _, r := range s.Resources {
			groups[r.Group] = append(groups[r.Group], r.Resource)
		}
	}
	var all []runtime.Object
	for _, ns := range slices.Sorted(maps.Keys(byNamespace)) {
		var rules []rbacv1.PolicyRule
		for _, group := range slices.Sorted(maps.Keys(byNamespace[ns])) {
			resources := slices.Compact(slices.Sorted(slices.Values(byNamespace[ns][group])))
			rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: readVerbs})
		}
		meta, ref := metav1.ObjectMeta{Name: name, Namespace: ns}, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Name: name}
		to := []rbacv1.Subject{subject}
		if ref.Kind = "Role"; ns == "" {
			ref.Kind = "ClusterRole"
			all = append(all, &rbacv1.ClusterRole{TypeMeta: rbacType(ref.Kind), ObjectMeta: meta, Rules: rules},
				&rbacv1.ClusterRoleBinding{TypeMeta: rbacType("ClusterRoleBinding"), ObjectMeta: meta, RoleRef: ref, Subjects: to})
			continue
		}
		all = append(all, &rbacv1.Role{TypeMeta: rbacType(ref.Kind), ObjectMeta: meta, Rules: rules},
			&rbacv1.RoleBinding{TypeMeta: rbacType("RoleBinding"), ObjectMeta: meta, RoleRef: ref, Subjects: to})
	}
	return all
}

func rbacType(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}
