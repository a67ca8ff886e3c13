package join

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// enroll writes the credentials and then the Cluster on the hub, and returns a sentence about the writes. It changes no field of a
// Cluster that Git declares, and sets those that Git leaves open.
func (f *Options) enroll(ctx context.Context, h *hub.Hub, name string, c *candidate, t token) (string, error) {
	cluster := &v1alpha1.Cluster{}
	err := h.Get(ctx, client.ObjectKey{Name: name}, cluster)
	if err != nil && !apierrors.IsNotFound(err) {
		return "", h.Wrap("reading cluster "+name, err)
	}
	if cluster.DeletionTimestamp != nil {
		return "", fmt.Errorf("cluster %s is being removed from the hub (%s): join it when it is gone", name, hub.DeletionNote(cluster))
	}
	if cluster.Spec.SyncMode == v1alpha1.SyncModePull {
		return "", fmt.Errorf("cluster %s is in pull mode: its agent connects to the hub; choose another name", name)
	}
	exists, before := err == nil, cluster.DeepCopy()
	cluster.Name = name
	at, declaredBy := v1alpha1.SecretRef{Namespace: f.SecretsNamespace, Name: name}, cluster.Labels[v1alpha1.SourceLabel]
	if declaredBy != "" {
		at = *cmp.Or(cluster.Spec.SecretRef, &at)
	}
	made := fmt.Sprintf("Cluster %s, Secret %s/%s", name, at.Namespace, at.Name)
	secret := credentials(name, at, c, t)
	if declaredBy != "" {
		made += "; Git declares the Cluster (" + declaredBy + "), and its fields stay"
		cluster.Spec.SecretRef = &at
		cluster.Spec.APIEndpoint = cmp.Or(cluster.Spec.APIEndpoint, c.config.Host)
		cluster.Spec.ID = cmp.Or(cluster.Spec.ID, c.uid)
	} else {
		setSpec(cluster, at, c, f.Traits)
	}
	if _, err := clusters.RESTConfig(cluster, secret, f.SecretsNamespace); err != nil {
		return "", fmt.Errorf("%w; Git declares the Cluster (%s): correct the manifest", err, declaredBy)
	}
	if err := putCredentials(ctx, h, name, secret); err != nil {
		return "", err
	}
	if exists {
		err = h.Patch(ctx, cluster, client.MergeFrom(before))
	} else {
		err = h.Create(ctx, cluster)
	}
	return made, h.Wrap("writing cluster "+name, err)
}

// setSpec sets the address, the credentials and the requested traits of the Cluster.
func setSpec(cluster *v1alpha1.Cluster, at v1alpha1.SecretRef, c *candidate, wanted Traits) {
	s := &cluster.Spec
	s.SyncMode, s.APIEndpoint, s.SecretRef = v1alpha1.SyncModePush, c.config.Host, &at
	if c.uid != "" {
		s.ID = c.uid
	}
	s.InsecureSkipTLSVerification, s.ProxyURL = c.config.Insecure, c.proxy
	if wanted.Provider != "" {
		s.Provider = wanted.Provider
	}
	if wanted.Region != "" {
		s.Region = wanted.Region
	}
	if len(wanted.Zones) > 0 {
		s.Zone, s.Zones = "", wanted.Zones
	}
	if len(wanted.Labels) > 0 && cluster.Labels == nil {
		cluster.Labels = map[string]string{}
	}
	maps.Copy(cluster.Labels, wanted.Labels)
}

// credentials returns the Secret, which binds the token to the server and to the Cluster.
func credentials(cluster string, at v1alpha1.SecretRef, c *candidate, t token) *corev1.Secret {
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name, Labels: managedLabels()},
		Type:       clusters.SecretType,
		Data: map[string][]byte{
			clusters.ClusterKey: []byte(cluster), clusters.ServerKey: []byte(c.config.Host), clusters.TokenKey: []byte(t.value),
		},
	}
	for key, value := range map[string]string{clusters.CABundleKey: string(c.ca), clusters.ProxyURLKey: c.proxy} {
		if value != "" {
			s.Data[key] = []byte(value)
		}
	}
	if c.config.Insecure {
		s.Data[clusters.InsecureKey] = []byte("true")
	}
	return s
}

// putCredentials writes the Secret. It does not touch the Secret of another cluster, nor one of another type.
func putCredentials(ctx context.Context, h *hub.Hub, cluster string, wanted *corev1.Secret) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wanted.Namespace}}
	if err := h.Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
		return h.Wrap("making namespace "+wanted.Namespace, err)
	}
	name, s := fmt.Sprintf("secret %s/%s", wanted.Namespace, wanted.Name), &corev1.Secret{}
	err := h.Get(ctx, client.ObjectKeyFromObject(wanted), s)
	switch {
	case apierrors.IsNotFound(err):
		err = h.Create(ctx, wanted)
	case err != nil:
	case s.Type != clusters.SecretType:
		return fmt.Errorf("%s has the type %q and not %q, so it is not the Secret of a cluster: delete it, or name another one in spec.secretRef", name, s.Type, clusters.SecretType)
	case string(s.Data[clusters.ClusterKey]) != cluster:
		return fmt.Errorf("%s has the credentials of cluster %q: correct spec.secretRef of Cluster %s", name, s.Data[clusters.ClusterKey], cluster)
	default:
		s.Data = wanted.Data
		err = h.Update(ctx, s)
	}
	return h.Wrap("writing "+name, err)
}
