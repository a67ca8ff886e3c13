package join

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate/permit"
)

// identityName is the name of the ServiceAccount on the member and of its binding.
const identityName = "accord"

// adminRole is the role of --admin.
const adminRole = "cluster-admin"

// managedLabels are the labels of the objects that join creates.
func managedLabels() map[string]string {
	return map[string]string{"app.kubernetes.io/managed-by": "accord"}
}

func identityNamespace() *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: hub.SystemNamespace, Labels: managedLabels()},
	}
}

func identityAccount() *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: metav1.ObjectMeta{Namespace: hub.SystemNamespace, Name: identityName, Labels: managedLabels()},
	}
}

// identityBinding binds the account to a ClusterRole.
func identityBinding(role string) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: identityName, Labels: managedLabels()},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   identitySubjects(),
	}
}

func identitySubjects() []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: hub.SystemNamespace, Name: identityName}}
}

// generatedAnnotation marks the ClusterRole that join made, with the flags that chose its rules. join changes no other role.
const generatedAnnotation = "accord.dev/generated-by"

// makeIdentity creates the account, its role and its binding, and returns the role. It does not change an existing binding, which
// may have fewer rights on purpose, unless --admin asks for more.
func (c *candidate) makeIdentity(ctx context.Context, o *Options) (string, error) {
	_, err := c.CoreV1().Namespaces().Create(ctx, identityNamespace(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("making namespace %s on the cluster: %w", hub.SystemNamespace, err)
	}
	_, err = c.CoreV1().ServiceAccounts(hub.SystemNamespace).Create(ctx, identityAccount(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("making the service account on the cluster: %w", err)
	}
	if err := c.makeOwnRights(ctx); err != nil {
		return "", fmt.Errorf("granting accord the rights for its inventory and its token: %w", err)
	}
	bindings := c.RbacV1().ClusterRoleBindings()
	binding, err := bindings.Get(ctx, identityName, metav1.GetOptions{})
	if err == nil && o.Admin && binding.RoleRef.Name != adminRole { // the role of a binding cannot change
		if err = bindings.Delete(ctx, identityName, metav1.DeleteOptions{}); err == nil {
			binding, err = bindings.Create(ctx, identityBinding(adminRole), metav1.CreateOptions{})
		}
	}
	if apierrors.IsNotFound(err) {
		role := identityName
		if o.Admin {
			role = adminRole
		}
		binding, err = bindings.Create(ctx, identityBinding(role), metav1.CreateOptions{})
	}
	if err != nil {
		return "", fmt.Errorf("binding the service account to a role on the cluster: %w", err)
	}
	if ref := binding.RoleRef; ref.Name == identityName {
		err = c.makeRole(ctx, o)
	}
	if err == nil {
		err = c.grantImpersonation(ctx, o, binding)
	}
	if err == nil {
		err = c.grantUsers(ctx, o, binding)
	}
	return binding.RoleRef.Kind + " " + binding.RoleRef.Name, err
}

// makeRole creates the default ClusterRole, or updates the one that an earlier join made.
func (c *candidate) makeRole(ctx context.Context, o *Options) error {
	role := rightsRole(permit.DefaultRights(o.Secrets, o.CRDs))
	role.Annotations = map[string]string{generatedAnnotation: "accord join"}
	roles := c.RbacV1().ClusterRoles()
	_, err := roles.Create(ctx, role, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		var known *rbacv1.ClusterRole
		known, err = roles.Get(ctx, role.Name, metav1.GetOptions{})
		if err == nil && known.Annotations[generatedAnnotation] != "" {
			known.Rules = role.Rules
			_, err = roles.Update(ctx, known, metav1.UpdateOptions{})
		}
	}
	if err != nil {
		return fmt.Errorf("making ClusterRole %s on the cluster: %w", role.Name, err)
	}
	return nil
}

// makeOwnRights creates the Role of accord in its own namespace, or updates it, and binds it.
func (c *candidate) makeOwnRights(ctx context.Context) error {
	roles := c.RbacV1().Roles(hub.SystemNamespace)
	_, err := roles.Create(ctx, ownRole(), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = roles.Update(ctx, ownRole(), metav1.UpdateOptions{})
	}
	if err != nil {
		return err
	}
	_, err = c.RbacV1().RoleBindings(hub.SystemNamespace).Create(ctx, ownBinding(), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
