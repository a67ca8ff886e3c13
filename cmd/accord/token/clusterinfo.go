package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	api "k8s.io/cluster-bootstrap/token/api"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/clusters/bootstrap"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// clusterInfo returns the ConfigMap cluster-info of the hub. The command creates it where it is missing, and updates one that accord
// made; kubeadm's stays as it is.
func (f *creation) clusterInfo(ctx context.Context, h *hub.Hub, c kubernetes.Interface) (*corev1.ConfigMap, error) {
	maps := c.CoreV1().ConfigMaps(metav1.NamespacePublic)
	present, err := maps.Get(ctx, api.ConfigMapClusterInfo, metav1.GetOptions{})
	exists := err == nil
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, h.Wrap("reading cluster-info", err)
	}
	if exists && present.Labels[registration.ManagedByLabel] != registration.ManagedBy {
		return present, nil
	}
	ca := h.Config.CAData
	if len(ca) == 0 && h.Config.CAFile != "" {
		if ca, err = os.ReadFile(h.Config.CAFile); err != nil {
			return nil, fmt.Errorf("reading the CA of the hub: %w", err)
		}
	}
	if len(ca) == 0 {
		return nil, errors.New("the kubeconfig of the hub has no certificate-authority-data, which a cluster needs to verify the hub; add it")
	}
	wanted, err := bootstrap.ClusterInfo(cmp.Or(f.address, h.Config.Host), ca)
	if err != nil {
		return nil, err
	}
	if !exists {
		present, err = maps.Create(ctx, wanted, metav1.CreateOptions{})
		return present, h.Wrap("creating cluster-info", err)
	}
	if present.Data[api.KubeConfigKey] == wanted.Data[api.KubeConfigKey] || f.address == "" && sameAuthority(present, ca) {
		return present, nil
	}
	present.Data[api.KubeConfigKey] = wanted.Data[api.KubeConfigKey] // accord signs it again for the other tokens
	present, err = maps.Update(ctx, present, metav1.UpdateOptions{})
	return present, h.Wrap("updating cluster-info", err)
}

// sameAuthority reports whether cluster-info has this CA. Its address may differ from that of the kubeconfig.
func sameAuthority(info *corev1.ConfigMap, ca []byte) bool {
	known, err := bootstrap.Content(info)
	return err == nil && strings.TrimSpace(string(known.CertificateAuthorityData)) == strings.TrimSpace(string(ca))
}

// sign signs cluster-info for a token. kube-controller-manager, where it runs, writes the same signature.
func sign(ctx context.Context, c kubernetes.Interface, t registration.Token) error {
	maps := c.CoreV1().ConfigMaps(metav1.NamespacePublic)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		info, err := maps.Get(ctx, api.ConfigMapClusterInfo, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if changed, err := bootstrap.Sign(info, t); err != nil || !changed {
			return err
		}
		_, err = maps.Update(ctx, info, metav1.UpdateOptions{})
		return err
	})
}

// registerCommand returns the command that registers a cluster with the token.
func (f *creation) registerCommand(t registration.Token, info *corev1.ConfigMap) (string, error) {
	known, err := bootstrap.Content(info)
	if err != nil {
		return "", err
	}
	pins, err := bootstrap.Pins(known.CertificateAuthorityData)
	if err != nil {
		return "", err
	}
	command := "accord register " + cmp.Or(f.address, known.Server) + " --token " + t.String()
	for _, pin := range pins {
		command += " --discovery-token-ca-cert-hash " + pin
	}
	if registration.CheckClusterName(t.Clusters) == nil {
		command += " --cluster-name " + t.Clusters
	}
	return command, nil
}
