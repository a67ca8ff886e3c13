package livecluster

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/status"
)

// connection is the way to the cluster of a source.
type connection struct {
	name   string // of the cluster, for texts
	config *rest.Config
	user   string // to impersonate, the account of the Tenant; empty: none
	// selected is the digest of the source, the server, the Tenant and the user: of all that decides which objects are read. digest
	// covers the credentials, too.
	selected, digest string
}

// connection reads the credentials of a source. The Secret of a Federation leads only to servers that its Tenant allows.
func (r *Readers) connection(ctx context.Context, q Request) (connection, error) {
	c := connection{user: q.Rules.Account().User()}
	s := q.Source.Cluster
	var version any
	var err error
	switch {
	case s.Name != "":
		c.name = s.Name
		c.config, version, err = r.ofCluster(ctx, q)
	case s.SecretRef != nil:
		c.name, c.user = q.Source.Name, "" // the credentials are those of the Tenant
		c.config, version, err = r.ofSecret(ctx, q)
	default:
		c.name = "in-cluster"
		c.config, err = r.InCluster()
	}
	if err != nil {
		return connection{}, err
	}
	c.selected = digestOf(s, c.config.Host, c.user, q.Rules.ID())
	c.digest = digestOf(c.selected, version)
	return c, nil
}

func digestOf(values ...any) string {
	text, _ := json.Marshal(values) // each is a text, a number, or a struct of them
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// ofCluster returns the configuration of a Cluster of the hub, and the version of its credentials.
func (r *Readers) ofCluster(ctx context.Context, q Request) (*rest.Config, any, error) {
	name := q.Source.Cluster.Name
	cluster, secret := &v1alpha1.Cluster{}, &corev1.Secret{}
	if err := r.Hub.Get(ctx, types.NamespacedName{Name: name}, cluster); err != nil {
		return nil, nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	if refused := q.Rules.ReadsCluster(q.Source, cluster); refused != nil {
		return nil, nil, &status.RefusalError{Err: refused}
	}
	if err := clusters.CheckSecretRef(cluster, r.SecretsNamespace); err != nil {
		return nil, nil, err
	}
	ref := cluster.Spec.SecretRef
	if err := r.Secrets.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return nil, nil, fmt.Errorf("credentials of cluster %s: %w", name, err)
	}
	cfg, err := clusters.RESTConfig(cluster, secret, r.SecretsNamespace)
	return cfg, []any{cluster.UID, cluster.Generation, secret.UID, secret.ResourceVersion}, err
}

// ofSecret returns the configuration of a Secret in the namespace of a Federation.
func (r *Readers) ofSecret(ctx context.Context, q Request) (*rest.Config, any, error) {
	secret := &corev1.Secret{}
	name := types.NamespacedName{Namespace: q.Federation.Namespace, Name: q.Source.Cluster.SecretRef.Name}
	if err := r.Secrets.Get(ctx, name, secret); err != nil {
		return nil, nil, fmt.Errorf("secret %q: %w", name.Name, err)
	}
	cfg, err := clusters.SourceConfig(secret.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("secret %q: %w", name.Name, err)
	}
	if refused := q.Rules.ReadsServer(q.Source, cfg.Host); refused != nil {
		return nil, nil, &status.RefusalError{Err: refused}
	}
	own, err := egress.ParseNetworks(q.Rules.Networks())
	if err != nil {
		return nil, nil, fmt.Errorf("spec.networks of the Tenant: %w", err)
	}
	cfg.Dial = slices.Concat(r.Networks, own).HTTPTransport().DialContext
	return cfg, []any{secret.UID, secret.ResourceVersion}, nil
}
