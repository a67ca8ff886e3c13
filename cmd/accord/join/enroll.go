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
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// enroll writes the credentials and then the Cluster on the hub, and returns a sentence about the writes. It does not change a Cluster that
// Git declares, and writes the credentials to the Secret that this Cluster names.
func enroll(ctx context.Context, h *hub.Hub, name string, c *candidate, t token, wanted Traits) (string, error) {
	at := v1alpha1.SecretRef{Namespace: hub.SystemNamespace, Name: name}
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
	if err := putCredentials(ctx, h, at, c, t); err != nil {
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

// putCredentials writes the Secret in Karmada's form: token and caBundle.
func putCredentials(ctx context.Context, h *hub.Hub, at v1alpha1.SecretRef, c *candidate, t token) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: at.Namespace}}
	if err := h.Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
		return h.Wrap("making namespace "+at.Namespace, err)
	}
	data := map[string][]byte{"token": []byte(t.value)}
	if len(c.ca) > 0 {
		data["caBundle"] = c.ca
	}
	s := &corev1.Secret{}
	err := h.Get(ctx, client.ObjectKey{Namespace: at.Namespace, Name: at.Name}, s)
	switch {
	case apierrors.IsNotFound(err):
		s = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name, Labels: managedLabels()}, Data: data}
		err = h.Create(ctx, s)
	case err == nil:
		s.Data = data
		err = h.Update(ctx, s)
	}
	return h.Wrap(fmt.Sprintf("writing secret %s/%s", at.Namespace, at.Name), err)
}
