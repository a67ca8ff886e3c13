package join

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// identityName is the name of the ServiceAccount on the member and of its binding.
const identityName = "accord"

// adminRole is bound if no binding exists.
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

// makeIdentity creates the account and its binding, and returns the role. It does not change an existing binding, which may have
// fewer rights on purpose.
func (c *candidate) makeIdentity(ctx context.Context) (string, error) {
	_, err := c.CoreV1().Namespaces().Create(ctx, identityNamespace(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("making namespace %s on the cluster: %w", hub.SystemNamespace, err)
	}
	_, err = c.CoreV1().ServiceAccounts(hub.SystemNamespace).Create(ctx, identityAccount(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("making the service account on the cluster: %w", err)
	}
	bindings := c.RbacV1().ClusterRoleBindings()
	binding, err := bindings.Create(ctx, identityBinding(adminRole), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		binding, err = bindings.Get(ctx, identityName, metav1.GetOptions{})
	}
	if err != nil {
		return "", fmt.Errorf("binding the service account to a role on the cluster: %w", err)
	}
	return binding.RoleRef.Kind + " " + binding.RoleRef.Name, nil
}
