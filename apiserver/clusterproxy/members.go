package clusterproxy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/tunnels"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/proxy"
)

// Members finds the way to each cluster.
type Members struct {
	// Hub reads Clusters and their Secrets, at each request: a Cluster that is removed or changed is so at once.
	Hub client.Reader
	// SecretsNamespace is the only namespace whose Secrets are credentials of clusters.
	SecretsNamespace string
	Tunnels          *tunnels.Set

	mu     sync.Mutex
	pushed map[string]connection // by the name of the Cluster
}

// connection is the connection to a cluster in push mode, with the versions of the objects that it was made from.
type connection struct {
	*proxy.Member
	versions string
}

// SearchUser is the user as which accord reads objects of a cluster in pull mode for its caches. The cluster decides about its rights.
const SearchUser = "accord-search"

// Reader returns the way to a cluster with the rights that accord has there for its caches: those of its credentials in push mode, and those of
// SearchUser in pull mode, where accord has no credentials.
func (m *Members) Reader(ctx context.Context, name string) (http.RoundTripper, error) {
	cluster, err := tunnels.ReadCluster(ctx, m.Hub, name)
	if err != nil {
		return nil, err
	}
	if cluster.Spec.SyncMode != v1alpha1.SyncModePull {
		return m.push(ctx, cluster)
	}
	forward, err := m.Of(ctx, name)
	if err != nil {
		return nil, err
	}
	return proxy.Transport{Forward: forward, Caller: proxy.Caller{User: SearchUser}}, nil
}

// Of returns the way to a cluster.
func (m *Members) Of(ctx context.Context, name string) (proxy.Forward, error) {
	cluster, err := tunnels.ReadCluster(ctx, m.Hub, name)
	switch {
	case apierrors.IsNotFound(err):
		m.forget(name)
		return nil, err
	case err != nil:
		return nil, err
	case cluster.Spec.SyncMode != v1alpha1.SyncModePull:
		member, err := m.push(ctx, cluster)
		if err != nil {
			return nil, err
		}
		return member.Forward, nil
	}
	t := m.Tunnels.Of(name, cluster.UID)
	return func(w http.ResponseWriter, r *http.Request, c proxy.Caller) { proxy.Through(w, r, name, t, c) }, nil
}

// push returns the connection to a cluster in push mode. Its credentials are those of the controllers.
func (m *Members) push(ctx context.Context, cluster *v1alpha1.Cluster) (*proxy.Member, error) {
	var secret corev1.Secret
	if err := clusters.CheckSecretRef(cluster, m.SecretsNamespace); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	ref := cluster.Spec.SecretRef
	if err := m.Hub.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, &secret); err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("reading the Secret of cluster %s: %w", cluster.Name, err))
	}
	versions := strings.Join([]string{string(cluster.UID), fmt.Sprint(cluster.Generation), string(secret.UID), secret.ResourceVersion}, " ")
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.pushed[cluster.Name]; known.versions == versions {
		return known.Member, nil
	}
	cfg, err := clusters.RESTConfig(cluster, &secret, m.SecretsNamespace)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	member, err := proxy.New(cfg, cluster.Name)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if before := m.pushed[cluster.Name].Member; before != nil {
		before.Close()
	}
	if m.pushed == nil {
		m.pushed = map[string]connection{}
	}
	m.pushed[cluster.Name] = connection{member, versions}
	return member, nil
}

// forget closes the connection to a cluster that is removed.
func (m *Members) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.pushed[name].Member; before != nil {
		before.Close()
	}
	delete(m.pushed, name)
}
