package join

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// revokeLimit is the time for the garbage collector of the member to delete the ServiceAccount and its tokens.
const revokeLimit = 30 * time.Second

// identityRemains is the list of the objects of accord on a member.
const identityRemains = "ClusterRoleBinding " + identityName + ", ServiceAccount " + hub.SystemNamespace + "/" + identityName + " and its roles"

// revoke deletes the identity of accord on the member. If another hub uses the identity, or if the rights of accord do not suffice,
// it ends the tokens of this hub only.
func (l *leaving) revoke(ctx context.Context) error {
	if l.member == nil {
		fmt.Fprintf(l.out, "  identity     NOT REVOKED: %s stay on the cluster; when it is reachable again, delete them there:\n"+
			"               kubectl delete clusterrolebinding,clusterrole %s --ignore-not-found && kubectl delete serviceaccount,rolebinding,role -n %s %s --ignore-not-found\n",
			identityRemains, identityName, hub.SystemNamespace, identityName)
		return nil
	}
	c, err := kubernetes.NewForConfig(l.member)
	if err != nil {
		return err
	}
	others, err := otherHubs(ctx, c, l.hubID)
	if err != nil {
		return l.refused(err)
	}
	if others > 0 {
		if err := l.endTokens(ctx, c); err != nil {
			return l.refused(err)
		}
		fmt.Fprintln(l.out, "  identity     ended the tokens of this hub; the ServiceAccount stays, because another hub uses it")
		return nil
	}
	err = l.deleteIdentity(ctx, c)
	if apierrors.IsForbidden(err) && !l.namesMember() {
		if err := l.endTokens(ctx, c); err != nil {
			return l.refused(err)
		}
		fmt.Fprintf(l.out, "  identity     ended the token; its role does not allow accord to delete the rest: %s stay on the cluster without a token; delete them:\n"+
			"               kubectl delete clusterrolebinding,clusterrole %s && kubectl delete namespace %s\n", identityRemains, identityName, hub.SystemNamespace)
		return nil
	}
	if err != nil {
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

// otherHubs returns the number of other hubs that use the identity.
func otherHubs(ctx context.Context, c kubernetes.Interface, hubID string) (int, error) {
	list, err := c.CoreV1().ConfigMaps(hub.SystemNamespace).List(ctx, metav1.ListOptions{LabelSelector: hubLabel + "," + hubLabel + "!=" + hubDigest(hubID)})
	if err != nil {
		return 0, err
	}
	return len(list.Items), nil
}

// endTokens ends the tokens of this hub, and returns when they have ended: the garbage collector of the member deletes the Secret
// that they are bound to.
func (l *leaving) endTokens(ctx context.Context, c kubernetes.Interface) error {
	background := metav1.DeletePropagationBackground
	err := c.CoreV1().ConfigMaps(hub.SystemNamespace).Delete(ctx, hubName(l.hubID), metav1.DeleteOptions{PropagationPolicy: &background})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return await(ctx, "the Secret that its tokens are bound to", func(ctx context.Context) bool {
		list, err := c.CoreV1().Secrets(hub.SystemNamespace).List(ctx, metav1.ListOptions{LabelSelector: hubLabel + "=" + hubDigest(l.hubID)})
		return apierrors.IsUnauthorized(err) || err == nil && len(list.Items) == 0 // the default role may not list Secrets
	})
}

// deleteIdentity deletes the binding, the account, its roles and its tokens with one request: the account may be the one that sends
// it, and has no right to a second one. The binding owns the others, so the garbage collector of the member deletes them.
func (l *leaving) deleteIdentity(ctx context.Context, c kubernetes.Interface) error {
	binding, err := c.RbacV1().ClusterRoleBindings().Get(ctx, identityName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		err = c.CoreV1().ServiceAccounts(hub.SystemNamespace).Delete(ctx, identityName, metav1.DeleteOptions{})
		if err == nil || apierrors.IsNotFound(err) {
			return l.endTokens(ctx, c)
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
	const merge = types.MergePatchType
	for _, patch := range []func() error{
		func() error {
			_, err := c.CoreV1().ConfigMaps(hub.SystemNamespace).Patch(ctx, hubName(l.hubID), merge, owner, metav1.PatchOptions{})
			return err
		},
		func() error {
			_, err := c.RbacV1().RoleBindings(hub.SystemNamespace).Patch(ctx, identityName, merge, owner, metav1.PatchOptions{})
			return err
		},
		func() error {
			_, err := c.RbacV1().Roles(hub.SystemNamespace).Patch(ctx, identityName, merge, owner, metav1.PatchOptions{})
			return err
		},
		func() error { return adoptRole(ctx, c, owner) },
		func() error {
			_, err := c.CoreV1().ServiceAccounts(hub.SystemNamespace).Patch(ctx, identityName, merge, owner, metav1.PatchOptions{})
			return err
		},
	} {
		if err := patch(); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	background := metav1.DeletePropagationBackground
	if err := c.RbacV1().ClusterRoleBindings().Delete(ctx, identityName, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return err
	}
	return awaitRevoked(ctx, c)
}

// adoptRole makes the binding the owner of the ClusterRole accord, if join or the output of --print-rbac made it.
func adoptRole(ctx context.Context, c kubernetes.Interface, owner []byte) error {
	role, err := c.RbacV1().ClusterRoles().Get(ctx, identityName, metav1.GetOptions{})
	if err != nil || role.Labels["app.kubernetes.io/managed-by"] != "accord" {
		return err
	}
	_, err = c.RbacV1().ClusterRoles().Patch(ctx, identityName, types.MergePatchType, owner, metav1.PatchOptions{})
	return err
}

// awaitRevoked waits until the ServiceAccount is gone, or the member does not accept the credentials any more.
func awaitRevoked(ctx context.Context, c kubernetes.Interface) error {
	return await(ctx, "the ServiceAccount", func(ctx context.Context) bool {
		_, err := c.CoreV1().ServiceAccounts(hub.SystemNamespace).Get(ctx, identityName, metav1.GetOptions{})
		return apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err)
	})
}

// await waits until the garbage collector of the member has deleted an object.
func await(ctx context.Context, object string, gone func(ctx context.Context) bool) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, revokeLimit, true, func(ctx context.Context) (bool, error) { return gone(ctx), nil })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("the garbage collector of the cluster did not delete %s within %s", object, revokeLimit)
	}
	return err
}
