package registration

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

// enroll creates the Cluster, unless it is declared, and the rights of its agent. The Cluster owns the rights: they end with it. The
// ClusterRoleBinding comes last, because it marks the cluster as registered.
func (c *Controller) enroll(ctx context.Context, verdict request.Verdict, in request.Input) error {
	name := verdict.Cluster
	cluster := in.Cluster
	if cluster == nil {
		cluster = &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: in.Traits.Spec()}
		if err := c.Hub.Create(ctx, cluster, client.FieldOwner(v1alpha1.FieldManager)); err != nil {
			return fmt.Errorf("creating cluster %s: %w", name, err)
		}
		if id := cluster.Spec.ID; id != "" {
			c.enrolled[id] = name
		}
	}
	for _, o := range agentRights(cluster, verdict.User, string(in.UID)) {
		if err := c.replace(ctx, o, cluster); err != nil {
			return fmt.Errorf("granting the rights of the agent of cluster %s: %w", name, err)
		}
	}
	return nil
}

// replace creates an object. One of an earlier Cluster of the same name is deleted first: the garbage collector is about to delete it.
func (c *Controller) replace(ctx context.Context, o client.Object, owner *v1alpha1.Cluster) error {
	err := c.Hub.Create(ctx, o, client.FieldOwner(v1alpha1.FieldManager))
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	present := o.DeepCopyObject().(client.Object)
	if err := c.Uncached.Get(ctx, client.ObjectKeyFromObject(o), present); err != nil {
		return err
	}
	if ownedBy(present, owner) && present.GetAnnotations()[registration.RegisteredByAnnotation] == o.GetAnnotations()[registration.RegisteredByAnnotation] {
		return nil
	}
	uid := present.GetUID()
	if err := c.Hub.Delete(ctx, present, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
		return err
	}
	return c.Hub.Create(ctx, o, client.FieldOwner(v1alpha1.FieldManager))
}

// agentRights returns the rights of an agent on the hub, which name its cluster and registration. The admission policy agent.accord.dev
// confines its DeliveryReports.
func agentRights(cluster *v1alpha1.Cluster, user, requestUID string) []client.Object {
	role := registration.RoleName(cluster.Name)
	meta := metav1.ObjectMeta{
		Name: role, Labels: map[string]string{registration.ManagedByLabel: registration.ManagedBy, v1alpha1.ClusterLabel: cluster.Name},
		Annotations: map[string]string{registration.RegisteredByAnnotation: requestUID},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID,
		}},
	}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: rulesOf(cluster.Name)},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: *meta.DeepCopy(), Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		},
	}
}

// rulesOf returns the rights of the agent of a cluster on the hub.
func rulesOf(cluster string) []rbacv1.PolicyRule {
	accord := []string{v1alpha1.GroupVersion.Group}
	return append([]rbacv1.PolicyRule{
		{APIGroups: accord, Resources: []string{"clusters"}, ResourceNames: []string{cluster}, Verbs: []string{"get"}},
		{APIGroups: accord, Resources: []string{"clusters/status"}, ResourceNames: []string{cluster}, Verbs: []string{"patch"}},
		{APIGroups: accord, Resources: []string{"deliveryreports"}, Verbs: []string{"create", "patch"}},
		{APIGroups: []string{"certificates.k8s.io"}, Resources: []string{"certificatesigningrequests"}, Verbs: []string{"create", "get"}},
	}, delivery.AgentRules(cluster)...)
}
