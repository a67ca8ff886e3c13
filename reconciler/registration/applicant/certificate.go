package applicant

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	certificatesv1 "k8s.io/api/certificates/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	certificatesclient "k8s.io/client-go/kubernetes/typed/certificates/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

// RequestIdentity makes a key and requests a certificate for it with the token.
func (a *Applicant) RequestIdentity(ctx context.Context, ca []byte) (Identity, error) {
	r, key, err := a.newRequest()
	if err != nil {
		return Identity{}, err
	}
	certificate, err := a.certify(ctx, ca, r)
	return Identity{Certificate: certificate, Key: key}, err
}

// newRequest returns the request for the certificate of the agent, and its key.
func (a *Applicant) newRequest() (r *certificatesv1.CertificateSigningRequest, key []byte, err error) {
	if r, key, err = request.New(rand.Reader, a.Cluster, ""); err != nil {
		return nil, nil, err
	}
	r.Annotations = a.Traits.Annotations()
	return r, key, nil
}

// certify sends a request, unless the hub has it, and returns the certificate.
func (a *Applicant) certify(ctx context.Context, ca []byte, r *certificatesv1.CertificateSigningRequest) ([]byte, error) {
	c, err := kubernetes.NewForConfig(&rest.Config{
		Host: a.Hub, TLSClientConfig: rest.TLSClientConfig{CAData: ca}, BearerToken: a.Token, Timeout: requestTimeout, QPS: -1,
	})
	if err != nil {
		return nil, err
	}
	requests := c.CertificatesV1().CertificateSigningRequests()
	sent, err := requests.Create(ctx, r, metav1.CreateOptions{})
	switch {
	case apierrors.IsUnauthorized(err):
		return nil, ErrTokenRefused
	case apierrors.IsAlreadyExists(err): // it was sent before the agent started again
		a.Say("[certificate] waiting for the request %s", r.Name)
		return a.await(ctx, requests, r.Name)
	case err != nil:
		return nil, fmt.Errorf("requesting the certificate of the agent: %w", err)
	}
	a.Say("[certificate] sent the request %s; the key stays here", sent.Name)
	return a.await(ctx, requests, sent.Name)
}

// ErrTokenRefused is the error of a token that the hub does not know.
var ErrTokenRefused = errors.New("the hub does not accept the token: it expired, is used up or deleted; create another one with \"accord token create\"")

// NotApprovedError is the error of a request that the hub never approves.
type NotApprovedError struct{ Request, Reason, Message string }

// Error implements error.
func (e *NotApprovedError) Error() string {
	return fmt.Sprintf("the hub does not approve the request %s: %s: %s", e.Request, e.Reason, e.Message)
}

// await waits for the certificate, and says the reason while the hub does not approve the request.
func (a *Applicant) await(ctx context.Context, requests certificatesclient.CertificateSigningRequestInterface, name string) ([]byte, error) {
	why := "no accord on the hub decides about it; \"accord up\" does, and \"accord run --register-clusters\""
	var certificate []byte
	err := wait.PollUntilContextTimeout(ctx, poll, a.Timeout, true, func(ctx context.Context) (bool, error) {
		r, err := requests.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, UnlessPassing(err)
		}
		for _, x := range r.Status.Conditions {
			refused := x.Type == certificatesv1.CertificateDenied || x.Type == certificatesv1.CertificateFailed || x.Type == registration.NotApproved && request.Permanent(x.Reason)
			switch {
			case refused:
				return false, &NotApprovedError{Request: name, Reason: x.Reason, Message: x.Message}
			case x.Type == certificatesv1.CertificateApproved:
				why = "it is approved, and no signer of the hub has signed it"
			case x.Type == registration.NotApproved && why != x.Message:
				why = x.Message
				a.Say("[certificate] waiting: %s", why)
			}
		}
		certificate = r.Status.Certificate
		return len(certificate) > 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return nil, fmt.Errorf("the request %s has no certificate after %s: %s", name, a.Timeout, why)
	}
	return certificate, err
}
