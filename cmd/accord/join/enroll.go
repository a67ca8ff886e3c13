package join

import (
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

// enroll writes the credentials and then the Cluster on the hub, and returns a sentence about the writes. It does not change a Cluster that
// Git declares, and writes the credentials to the Secret that this Cluster names.
func (f *Options) enroll(ctx context.Context, h *hub.Hub, name string, c *candidate, t token) (string, error) {
	at, wanted := v1alpha1.SecretRef{Namespace: f.SecretsNamespace, Name: name}, f.Traits
	cluster := &v1alpha1.Cluster{}
	err := h.Get(ctx, client.ObjectKey{Name: name}, cluster)
	if err != nil && !apierrors.IsNotFound(err) {
		return "", h.Wrap("reading cluster "+name, err)
	}
	if cluster.DeletionTimestamp != nil {
		return "", fmt.Errorf("cluster %s is being removed from the hub (%s): join it when it is gone", name, hub.DeletionNote(cluster))
	}
	exists, declaredBy := err == nil, cluster.Labels[v1alpha1.SourceLabel]
	if declaredBy != "" && cluster.Spec.SecretRef != nil {
		at = *cluster.Spec.SecretRef
	}
	if err := putCredentials(ctx, h, name, at, c, t); err != nil {
		return "", err
	}
	made := fmt.Sprintf("Cluster %s, Secret %s/%s", name, at.Namespace, at.Name)
	if declaredBy != "" {
		return made + "; the Cluster is declared in Git by " + declaredBy + " and left as it is" + missingRefHint(cluster, at), nil
	}
	before := cluster.DeepCopy()
	cluster.Name = name
	setSpec(cluster, at, c, wanted)
	if exists {
		err = h.Patch(ctx, cluster, client.MergeFrom(before))
	} else {
		err = h.Create(ctx, cluster)
	}
	return made, h.Wrap("writing cluster "+name, err)
}

// missingRefHint returns the field that Git has to declare for the credentials to be used.
func missingRefHint(cluster *v1alpha1.Cluster, at v1alpha1.SecretRef) string {
	if cluster.Spec.SecretRef != nil {
		return ""
	}
	return fmt.Sprintf(" (it needs secretRef: {namespace: %s, name: %s})", at.Namespace, at.Name)
}

// setSpec sets the address, the credentials and the requested traits of the Cluster.
func setSpec(cluster *v1alpha1.Cluster, at v1alpha1.SecretRef, c *candidate, wanted Traits) {
	s := &cluster.Spec
	s.SyncMode, s.APIEndpoint, s.SecretRef = "Push", c.config.Host, &at
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

// putCredentials writes the Secret, which binds the token to the server and to the Cluster. It does not touch the Secret of
// another cluster, nor one of another type.
func putCredentials(ctx context.Context, h *hub.Hub, cluster string, at v1alpha1.SecretRef, c *candidate, t token) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: at.Namespace}}
	if err := h.Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
		return h.Wrap("making namespace "+at.Namespace, err)
	}
	wanted := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name, Labels: managedLabels()},
		Type:       clusters.SecretType,
		Data: map[string][]byte{
			clusters.ClusterKey: []byte(cluster), clusters.ServerKey: []byte(c.config.Host), clusters.TokenKey: []byte(t.value),
		},
	}
	for key, value := range map[string]string{clusters.CABundleKey: string(c.ca), clusters.ProxyURLKey: c.proxy} {
		if value != "" {
			wanted.Data[key] = []byte(value)
		}
	}
	if c.config.Insecure {
		wanted.Data[clusters.InsecureKey] = []byte("true")
	}
	name, s := fmt.Sprintf("secret %s/%s", at.Namespace, at.Name), &corev1.Secret{}
	err := h.Get(ctx, client.ObjectKey{Namespace: at.Namespace, Name: at.Name}, s)
	switch {
	case apierrors.IsNotFound(err):
		err = h.Create(ctx, wanted)
	case err != nil:
	case s.Type != clusters.SecretType:
		return fmt.Errorf("%s has the type %q and not %q, so it is not the Secret of a cluster: delete it, or give it another name", name, s.Type, clusters.SecretType)
	case string(s.Data[clusters.ClusterKey]) != cluster:
		return fmt.Errorf("%s has the credentials of cluster %q: correct spec.secretRef of Cluster %s", name, s.Data[clusters.ClusterKey], cluster)
	default:
		s.Data = wanted.Data
		err = h.Update(ctx, s)
	}
	return h.Wrap("writing "+name, err)
}
