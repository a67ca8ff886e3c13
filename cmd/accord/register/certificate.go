package register

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

const (
	// requestTimeout bounds one request to the hub or to the cluster, poll is the time between two looks at the request.
	requestTimeout = 15 * time.Second
	poll           = time.Second
)

// identity is the certificate of an agent with its key, as PEM.
type identity struct{ certificate, key []byte }

// requestIdentity makes a key and requests a certificate for it with the token.
func (o *Options) requestIdentity(ctx context.Context, out io.Writer, ca []byte, uid string) (identity, error) {
	c, err := kubernetes.NewForConfig(&rest.Config{
		Host: o.Hub, TLSClientConfig: rest.TLSClientConfig{CAData: ca}, BearerToken: o.Token, Timeout: requestTimeout, QPS: -1,
	})
	if err != nil {
		return identity{}, err
	}
	r, key, err := o.certificateRequest(uid)
	if err != nil {
		return identity{}, err
	}
	requests := c.CertificatesV1().CertificateSigningRequests()
	r, err = requests.Create(ctx, r, metav1.CreateOptions{})
	if apierrors.IsUnauthorized(err) {
		return identity{}, errors.New("the hub does not accept the token: it expired, is used up or deleted; create another one with \"accord token create\"")
	}
	if err != nil {
		return identity{}, fmt.Errorf("requesting the certificate of the agent: %w", err)
	}
	fmt.Fprintf(out, "[certificate] sent the request %s; the key stays here\n", r.Name)
	certificate, err := o.await(ctx, out, r.Name, func(ctx context.Context) (*certificatesv1.CertificateSigningRequest, error) {
		return requests.Get(ctx, r.Name, metav1.GetOptions{})
	})
	return identity{certificate: certificate, key: key}, err
}

// certificateRequest returns the request for the certificate of the agent, and its key.
func (o *Options) certificateRequest(uid string) (r *certificatesv1.CertificateSigningRequest, key []byte, err error) {
	if r, key, err = request.New(rand.Reader, o.Name, ""); err != nil {
		return nil, nil, err
	}
	for annotation, value := range map[string]string{
		registration.ClusterIDAnnotation: uid, registration.ClusterRegionAnnotation: o.Region, registration.ClusterProviderAnnotation: o.Provider,
		registration.ClusterZonesAnnotation: strings.Join(o.Zones, ","),
	} {
		if value != "" {
			r.Annotations[annotation] = value
		}
	}
	return r, key, nil
}

// await waits for the certificate, and prints the reason while the hub does not approve the request.
func (o *Options) await(ctx context.Context, out io.Writer, name string, get func(context.Context) (*certificatesv1.CertificateSigningRequest, error)) ([]byte, error) {
	why := "no accord on the hub decides about it; \"accord up\" does, and \"accord run --register-clusters\""
	var certificate []byte
	err := wait.PollUntilContextTimeout(ctx, poll, o.Timeout, true, func(ctx context.Context) (bool, error) {
		r, err := get(ctx)
		if err != nil {
			return false, unlessPassing(err)
		}
		for _, x := range r.Status.Conditions {
			refused := x.Type == certificatesv1.CertificateDenied || x.Type == certificatesv1.CertificateFailed || x.Type == registration.NotApproved && request.Permanent(x.Reason)
			switch {
			case refused:
				return false, fmt.Errorf("the hub does not approve the request %s: %s: %s", name, x.Reason, x.Message)
			case x.Type == certificatesv1.CertificateApproved:
				why = "it is approved, and no signer of the hub has signed it"
			case x.Type == registration.NotApproved && why != x.Message:
				why = x.Message
				fmt.Fprintf(out, "[certificate] waiting: %s\n", why)
			}
		}
		certificate = r.Status.Certificate
		return len(certificate) > 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return nil, fmt.Errorf("the request %s has no certificate after %s: %s", name, o.Timeout, why)
	}
	return certificate, err
}

// unlessPassing returns nil for an error after which the next request can succeed.
func unlessPassing(err error) error {
	if _, answered := errors.AsType[*apierrors.StatusError](err); !answered || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) {
		return nil
	}
	return err
}
