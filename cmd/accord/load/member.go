package load

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// MemberConfig returns the configuration of a cluster with the credentials that the hub has. The user needs the right to read that Secret.
func (l *LiveHub) MemberConfig(ctx context.Context, c *v1alpha1.Cluster) (*rest.Config, error) {
	ref, secret := c.Spec.SecretRef, &corev1.Secret{}
	if ref == nil {
		return nil, clusters.CheckSecretRef(c, "")
	}
	if err := l.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return nil, l.Wrap("reading its credentials", err)
	}
	return clusters.RESTConfig(c, secret, ref.Namespace) // the rights of the user limit the namespaces
}
