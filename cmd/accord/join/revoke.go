package join

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// revokeLimit is the time for the garbage collector of the member to delete the ServiceAccount and its tokens.
const revokeLimit = 15 * time.Second

// identityRemains is the list of the objects of accord on a member.
const identityRemains = "ClusterRoleBinding " + identityName + ", ServiceAccount " + hub.SystemNamespace + "/" + identityName + " and its tokens"

// revoke deletes the identity of accord on the member. If another hub uses the identity, it deletes the tokens of this hub only.
func (l *leaving) revoke(ctx context.Context) error {
	if l.member == nil {
		fmt.Fprintf(l.out, "  identity     NOT REVOKED: %s stay on the cluster; when it is reachable again, delete them there:\n"+
			"               kubectl delete clusterrolebinding %s && kubectl delete serviceaccount -n %s %s\n",
			identityRemains, identityName, hub.SystemNamespace, identityName)
		return nil
	}
	c, err := kubernetes.NewForConfig(l.member)
	if err != nil {
		return err
	}
	own, others, err := l.tokens(ctx, c)
	if err != nil {
		return l.refused(err)
	}
	if others > 0 {
		for _, name := range own {
			if err := c.CoreV1().Secrets(hub.SystemNamespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return l.refused(err)
			}
		}
		fmt.Fprintln(l.out, "  identity     deleted the token of this hub; the ServiceAccount stays, because another hub uses it")
		return nil
	}
	if err := l.deleteIdentity(ctx, c, own); err != nil {
		return l.refused(err)
	}
	fmt.Fprintf(l.out, "  identity     deleted %s\n", identityRemains)
	return nil
}

func (l *leaving) refused(err error) error {
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("revoking the identity on cluster %s: %w; name an administrator of the cluster with --member-context", l.cluster.Name, err)
	}
	return fmt.Errorf("revoking the identity on cluster %s: %w; run \"accord leave\" again", l.cluster.Name, err)
}

// tokens returns the names of the token Secrets of this hub, and the number of those of other hubs.
func (l *leaving) tokens(ctx context.Context, c kubernetes.Interface) (own []string, others int, err error) {
	list, err := c.CoreV1().Secrets(hub.SystemNamespace).List(ctx, metav1.ListOptions{FieldSelector: "type=" + string(corev1.SecretTypeServiceAccountToken)})
	if err != nil {
		return nil, 0, err
	}
	for _, s := range list.Items {
		switch {
		case s.Annotations[corev1.ServiceAccountNameKey] != identityName:
		case s.Annotations[hubAnnotation] == l.hubID:
			own = append(own, s.Name)
		default:
			others++
		}
	}
	return own, others, nil
}

// deleteIdentity deletes the binding, the account and its tokens with one request: the account may be the one that sends it, and
// has no right to a second one. The binding owns the others, so the garbage collector of the member deletes them.
func (l *leaving) deleteIdentity(ctx context.Context, c kubernetes.Interface, tokens []string) error {
	binding, err := c.RbacV1().ClusterRoleBindings().Get(ctx, identityName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		err = c.CoreV1().ServiceAccounts(hub.SystemNamespace).Delete(ctx, identityName, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	owner, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": []metav1.OwnerReference{{
		APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding", Name: binding.Name, UID: binding.UID,
	}}}})
	if err != nil {
		return err
	}
	for _, name := range tokens {
		_, err := c.CoreV1().Secrets(hub.SystemNamespace).Patch(ctx, name, types.MergePatchType, owner, metav1.PatchOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	accounts := c.CoreV1().ServiceAccounts(hub.SystemNamespace)
	if _, err := accounts.Patch(ctx, identityName, types.MergePatchType, owner, metav1.PatchOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	background := metav1.DeletePropagationBackground
	if err := c.RbacV1().ClusterRoleBindings().Delete(ctx, identityName, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return err
	}
	return l.awaitRevoked(ctx, c)
}

// awaitRevoked waits until the ServiceAccount is gone, or the member does not accept the credentials any more.
func (l *leaving) awaitRevoked(ctx context.Context, c kubernetes.Interface) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, revokeLimit, true, func(ctx context.Context) (bool, error) {
		_, err := c.CoreV1().ServiceAccounts(hub.SystemNamespace).Get(ctx, identityName, metav1.GetOptions{})
		return apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err), nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return errors.New("the binding is deleted, and the garbage collector of the cluster did not delete the ServiceAccount within " + revokeLimit.String())
	}
	return err
}
