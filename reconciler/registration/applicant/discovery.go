package applicant

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	api "k8s.io/cluster-bootstrap/token/api"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/clusters/bootstrap"
)

// errUnverified is the error of an answer that the token or the pins do not confirm.
var errUnverified = errors.New("the hub is not verified")

// Discover returns the CA bundle of the hub. Nothing secret is sent before it is verified: the first answer is not trusted until the token
// and the pins confirm it, and the second one has to be the same over a verified connection to the same address.
func (a *Applicant) Discover(ctx context.Context) ([]byte, error) {
	first, err := a.clusterInfo(ctx, rest.TLSClientConfig{Insecure: true})
	if err != nil {
		return nil, err
	}
	id, secret, err := registration.SplitToken(a.Token)
	if err != nil {
		return nil, fmt.Errorf("the token: %w", err)
	}
	known, err := bootstrap.Verify(first, id, secret)
	if err != nil {
		return nil, errors.Join(errUnverified, err)
	}
	ca := known.CertificateAuthorityData
	if !a.SkipPins {
		if err := bootstrap.CheckPins(ca, a.Pins); err != nil {
			return nil, errors.Join(errUnverified, err)
		}
	}
	second, err := a.clusterInfo(ctx, rest.TLSClientConfig{CAData: ca})
	if err != nil {
		return nil, err
	}
	if second.Data[api.KubeConfigKey] != first.Data[api.KubeConfigKey] {
		return nil, errors.New("cluster-info differs between two requests: somebody answers in place of the hub, or it just changed; try again")
	}
	a.Say("[discovery] verified the hub %s by the token%s", a.Hub, map[bool]string{true: "", false: " and the hash of its CA"}[a.SkipPins])
	return ca, nil
}

// clusterInfo reads the ConfigMap without credentials.
func (a *Applicant) clusterInfo(ctx context.Context, tls rest.TLSClientConfig) (*corev1.ConfigMap, error) {
	c, err := kubernetes.NewForConfig(&rest.Config{Host: a.Hub, TLSClientConfig: tls, Timeout: requestTimeout, QPS: -1})
	if err != nil {
		return nil, err
	}
	info, err := c.CoreV1().ConfigMaps(metav1.NamespacePublic).Get(ctx, api.ConfigMapClusterInfo, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return nil, fmt.Errorf("the hub %s shows no cluster-info: run \"accord token create\" on the hub, or correct the address: %w", a.Hub, err)
	case err != nil:
		return nil, fmt.Errorf("reading cluster-info of the hub %s: %w", a.Hub, err)
	}
	return info, nil
}
