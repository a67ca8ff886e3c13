// Package leastrole makes the least roles with which an account can read some resources.
package leastrole

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Rules are the rules of a Role in each namespace, and of a ClusterRole at "".
type Rules map[string][]rbacv1.PolicyRule

// Add allows verbs on all objects of resources in a namespace, or everywhere at "": one rule for each group.
func (r Rules) Add(namespace string, resources []schema.GroupResource, verbs ...string) {
	groups := map[string][]string{}
	for _, resource := range resources {
		groups[resource.Group] = append(groups[resource.Group], resource.Resource)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		names := slices.Compact(slices.Sorted(slices.Values(groups[group])))
		r[namespace] = append(r[namespace], rbacv1.PolicyRule{APIGroups: []string{group}, Resources: names, Verbs: verbs})
	}
}

// Namespaces returns the namespaces with rules, sorted, so that "" is the first.
func (r Rules) Namespaces() []string { return slices.Sorted(maps.Keys(r)) }

// Objects returns the roles, each with its binding to a subject.
func (r Rules) Objects(name string, to rbacv1.Subject) []runtime.Object {
	var all []runtime.Object
	for _, namespace := range r.Namespaces() {
		meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
		ref, subjects := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Name: name}, []rbacv1.Subject{to}
		if ref.Kind = "Role"; namespace == "" {
			ref.Kind = "ClusterRole"
			all = append(all, &rbacv1.ClusterRole{TypeMeta: rbacType(ref.Kind), ObjectMeta: meta, Rules: r[namespace]},
				&rbacv1.ClusterRoleBinding{TypeMeta: rbacType("ClusterRoleBinding"), ObjectMeta: meta, RoleRef: ref, Subjects: subjects})
			continue
		}
		all = append(all, &rbacv1.Role{TypeMeta: rbacType(ref.Kind), ObjectMeta: meta, Rules: r[namespace]},
			&rbacv1.RoleBinding{TypeMeta: rbacType("RoleBinding"), ObjectMeta: meta, RoleRef: ref, Subjects: subjects})
	}
	return all
}

func rbacType(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}

// WithAccount returns a ServiceAccount, its namespace, and the roles of the account.
func (r Rules) WithAccount(namespace, account, role string) []runtime.Object {
	return append([]runtime.Object{
		&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: account}},
	}, r.Objects(role, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account})...)
}
