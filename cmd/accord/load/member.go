package load

import (
	"context"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// Dialer returns the configuration of a cluster. The error is the reason why there is none.
type Dialer func(ctx context.Context, cluster string) (*rest.Config, error)

// Contexts returns the clusters that are the contexts of a kubeconfig.
func Contexts(kubeconfig string, stderr io.Writer) (Dialer, error) {
	configs, err := hub.MemberConfigs(kubeconfig, stderr)
	return func(_ context.Context, cluster string) (*rest.Config, error) {
		if cfg := configs[cluster]; cfg != nil {
			return cfg, nil
		}
		return nil, fmt.Errorf("%s has no context of this name", kubeconfig)
	}, err
}

// Member is a Dialer for the clusters of the hub, as MemberConfig returns them.
func (l *LiveHub) Member(ctx context.Context, cluster string) (*rest.Config, error) {
	c := &v1alpha1.Cluster{}
	switch err := l.Get(ctx, client.ObjectKey{Name: cluster}, c); {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("cluster %s has not joined the hub", cluster)
	case err != nil:
		return nil, l.Wrap("reading the cluster", err)
	}
	return l.MemberConfig(ctx, c)
}

// MemberConfig returns the configuration of a cluster with the credentials that the hub has. The user needs the right to read that Secret.
// The hub has none of a cluster in pull mode: it forwards the requests of the user, by whose rights the cluster decides.
func (l *LiveHub) MemberConfig(ctx context.Context, c *v1alpha1.Cluster) (*rest.Config, error) {
	if c.Spec.SyncMode == v1alpha1.SyncModePull {
		cfg := rest.CopyConfig(l.Config)
		cfg.Host = strings.TrimSuffix(cfg.Host, "/") + hub.ProxyPath(c.Name)
		return cfg, nil
	}
	ref, secret := c.Spec.SecretRef, &corev1.Secret{}
	if ref == nil {
		return nil, clusters.CheckSecretRef(c, "")
	}
	if err := l.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return nil, l.Wrap("reading its credentials", err)
	}
	return clusters.RESTConfig(c, secret, ref.Namespace) // the rights of the user limit the namespaces
}
