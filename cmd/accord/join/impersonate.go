package join

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/propagate/permit"
)

// impersonationName is the name of the Role with the right to impersonate, and of its binding; the ClusterRole for users of the hub has it, too.
const impersonationName = "accord-impersonate"

// impersonation is the right of accord to impersonate ServiceAccounts of one namespace.
type impersonation struct {
	role    *rbacv1.Role
	binding *rbacv1.RoleBinding
}

// impersonations returns the rights to impersonate ServiceAccounts, "namespace/name", one for each namespace.
func impersonations(accounts []string) ([]impersonation, error) {
	names := map[string][]string{}
	for _, account := range accounts {
		namespace, name, _ := strings.Cut(account, "/")
		if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
			return nil, fmt.Errorf("--impersonate %q: expected NAMESPACE/NAME of a ServiceAccount, as spec.impersonate of a Tenant has it", account)
		}
		names[namespace] = append(names[namespace], name)
	}
	var all []impersonation
	for _, namespace := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[namespace])
		meta := metav1.ObjectMeta{Namespace: namespace, Name: impersonationName, Labels: managedLabels()}
		version := rbacv1.SchemeGroupVersion.String()
		all = append(all, impersonation{
			&rbacv1.Role{
				TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: meta,
				Rules: []rbacv1.PolicyRule{{
					APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: slices.Compact(names[namespace]), Verbs: []string{"impersonate"},
				}},
			},
			&rbacv1.RoleBinding{
				TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "RoleBinding"}, ObjectMeta: meta,
				RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: impersonationName},
				Subjects: identitySubjects(),
			},
		})
	}
	return all, nil
}

// grantImpersonation creates or updates the rights to impersonate the accounts of --impersonate. The binding of accord owns them, so
// that "accord leave" ends them.
func (c *candidate) grantImpersonation(ctx context.Context, o *Options, owner *rbacv1.ClusterRoleBinding) error {
	all, err := impersonations(o.Impersonate)
	if err != nil {
		return err
	}
	owned := []metav1.OwnerReference{{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding", Name: owner.Name, UID: owner.UID}}
	for _, x := range all {
		namespace := x.role.Namespace
		x.role.OwnerReferences, x.binding.OwnerReferences = owned, owned
		_, err := c.RbacV1().Roles(namespace).Create(ctx, x.role, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			_, err = c.RbacV1().Roles(namespace).Update(ctx, x.role, metav1.UpdateOptions{})
		}
		if err == nil {
			_, err = c.RbacV1().RoleBindings(namespace).Create(ctx, x.binding, metav1.CreateOptions{})
		}
		switch {
		case apierrors.IsNotFound(err):
			return fmt.Errorf("--impersonate: namespace %s does not exist on the cluster; create it, and join again", namespace)
		case err != nil && !apierrors.IsAlreadyExists(err):
			return fmt.Errorf("granting accord the right to impersonate ServiceAccounts of namespace %s: %w", namespace, err)
		}
	}
	return nil
}

func usersRole(rules []rbacv1.PolicyRule) *rbacv1.ClusterRole {
	role := rightsRole(rules)
	role.Name = impersonationName
	return role
}

func usersBinding() *rbacv1.ClusterRoleBinding {
	binding := identityBinding(impersonationName)
	binding.Name = impersonationName
	return binding
}

// grantUsers creates or updates the right to act for the users and groups of the hub. The binding of accord owns it. Without users and
// groups it stays as it is.
func (c *candidate) grantUsers(ctx context.Context, o *Options, owner *rbacv1.ClusterRoleBinding) error {
	rules := permit.ImpersonationRights(o.Users, o.Groups)
	if len(rules) == 0 {
		return nil
	}
	role, binding := usersRole(rules), usersBinding()
	role.OwnerReferences = []metav1.OwnerReference{{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding", Name: owner.Name, UID: owner.UID}}
	binding.OwnerReferences = role.OwnerReferences
	_, err := c.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = c.RbacV1().ClusterRoles().Update(ctx, role, metav1.UpdateOptions{})
	}
	if err == nil {
		_, err = c.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("granting accord the right to act for users of the hub: %w", err)
	}
	return nil
}
