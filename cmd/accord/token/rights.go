package token

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	api "k8s.io/cluster-bootstrap/token/api"

	"github.com/accord-dev/accord/api/registration"
)

const (
	// bootstrapRole is the ClusterRole of the holders of tokens, infoRole the Role of everybody who reads cluster-info.
	bootstrapRole = "accord:bootstrap"
	infoRole      = "accord:cluster-info"
	// accountName is the name of accord's ServiceAccount on a hub where it runs in a pod.
	accountName = "accord"
)

func managed(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{registration.ManagedByLabel: registration.ManagedBy}}
}

// grant creates the rights of all tokens: their holders may create certificate signing requests and read them, and anybody may read
// cluster-info, which is signed and has no secret.
func grant(ctx context.Context, c kubernetes.Interface) error {
	_, err := c.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: managed("", bootstrapRole), Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"certificates.k8s.io"}, Resources: []string{"certificatesigningrequests"}, Verbs: []string{"create", "get"},
	}}}, metav1.CreateOptions{})
	if unlessExists(err) == nil {
		_, err = c.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: managed("", bootstrapRole), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: bootstrapRole},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: registration.BootstrapGroup}},
		}, metav1.CreateOptions{})
	}
	if unlessExists(err) != nil {
		return err
	}
	return allow(ctx, c, managed(metav1.NamespacePublic, infoRole), rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: "system:anonymous"}, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{api.ConfigMapClusterInfo}, Verbs: []string{"get"},
	})
}

// grantToken allows accord to read one token, to count its uses and to delete it. The Secret owns the right, which ends with the token.
func grantToken(ctx context.Context, c kubernetes.Interface, secret *corev1.Secret, namespace string) error {
	meta := managed(secret.Namespace, "accord:"+secret.Name)
	meta.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Secret", Name: secret.Name, UID: secret.UID}}
	return allow(ctx, c, meta, rbacv1.Subject{Kind: "ServiceAccount", Namespace: namespace, Name: accountName}, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{secret.Name}, Verbs: []string{"get", "update", "delete"},
	})
}

// allow creates a Role with one rule and binds it to a subject.
func allow(ctx context.Context, c kubernetes.Interface, meta metav1.ObjectMeta, subject rbacv1.Subject, rule rbacv1.PolicyRule) error {
	_, err := c.RbacV1().Roles(meta.Namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{rule}}, metav1.CreateOptions{})
	if unlessExists(err) != nil {
		return err
	}
	_, err = c.RbacV1().RoleBindings(meta.Namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name}, Subjects: []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	return unlessExists(err)
}

func unlessExists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
