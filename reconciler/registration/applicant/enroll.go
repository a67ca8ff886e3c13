package applicant

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/registration"
)

const (
	// requestField and keyField of the Secret have the request that the agent sent, and the key that belongs to the request, until the hub
	// has signed it: an agent that starts again meanwhile does not use up the token twice.
	requestField = "request"
	keyField     = "key"
	// firstRetry and lastRetry bound the pause between two attempts to reach the hub. Half of each pause is random.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// Enroll returns the kubeconfig of the hub in a Secret of the cluster. If the Secret has none, the agent registers the cluster with the
// token, and writes the kubeconfig into the Secret. A hub that does not answer is tried again until ctx ends; a refusal is an error.
func (a *Applicant) Enroll(ctx context.Context, local client.Client, in types.NamespacedName, token func() (string, error)) ([]byte, error) {
	secret := &corev1.Secret{}
	if err := local.Get(ctx, in, secret); err != nil {
		return nil, fmt.Errorf("reading the Secret %s of the agent: %w", in, err)
	}
	if known := secret.Data[registration.KubeconfigKey]; len(known) > 0 {
		return known, nil
	}
	var err error
	if a.Token, err = token(); err != nil {
		return nil, fmt.Errorf("reading the token, with which the agent registers the cluster: %w", err)
	}
	if err := a.Check(); err != nil {
		return nil, err
	}
	system := &corev1.Namespace{} // without the right to read it, the hub does not know the cluster by its UID
	if err := local.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err == nil {
		a.Traits.ID = string(system.UID)
	}
	ca, err := a.discoverWhenThere(ctx)
	if err != nil {
		return nil, err
	}
	r, err := a.pending(ctx, local, secret)
	if err != nil {
		return nil, err
	}
	certificate, err := a.certify(ctx, ca, r)
	if err != nil {
		if _, final := errors.AsType[*NotApprovedError](err); final { // the next start sends another request, perhaps with another token
			delete(secret.Data, requestField)
			delete(secret.Data, keyField)
			err = errors.Join(err, local.Update(ctx, secret))
		}
		return nil, err
	}
	kubeconfig, err := a.Kubeconfig(ca, Identity{Certificate: certificate, Key: secret.Data[keyField]})
	if err != nil {
		return nil, err
	}
	secret.Data = map[string][]byte{registration.KubeconfigKey: kubeconfig}
	if err := local.Update(ctx, secret); err != nil {
		return nil, fmt.Errorf("writing the Secret %s of the agent: %w", in, err)
	}
	a.Say("[certificate] registered cluster %s", a.Cluster)
	return kubeconfig, nil
}

// discoverWhenThere returns the CA bundle of the hub as soon as the hub answers. An answer that the token or the pins do not confirm is an error.
func (a *Applicant) discoverWhenThere(ctx context.Context) ([]byte, error) {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		ca, err := a.Discover(ctx)
		if err == nil || errors.Is(err, errUnverified) || ctx.Err() != nil {
			return ca, err
		}
		a.Say("[discovery] trying again: %v", err)
		select {
		case <-time.After(pause/2 + mathrand.N(pause/2)):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// pending returns the request that the Secret keeps. If there is none, it makes one, and writes it and its key into the Secret.
func (a *Applicant) pending(ctx context.Context, local client.Client, secret *corev1.Secret) (*certificatesv1.CertificateSigningRequest, error) {
	r := &certificatesv1.CertificateSigningRequest{}
	if text := secret.Data[requestField]; len(text) > 0 && len(secret.Data[keyField]) > 0 {
		return r, json.Unmarshal(text, r)
	}
	r, key, err := a.newRequest()
	if err != nil {
		return nil, err
	}
	suffix, err := registration.NewRegistrationName(rand.Reader)
	if err != nil {
		return nil, err
	}
	r.Name, r.GenerateName = r.GenerateName+suffix, "" // an agent that starts again finds the request that it sent
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the request of the agent: %w", err)
	}
	secret.Data = map[string][]byte{requestField: text, keyField: key}
	if err := local.Update(ctx, secret); err != nil {
		return nil, fmt.Errorf("writing the key of the agent into Secret %s/%s: %w", secret.Namespace, secret.Name, err)
	}
	return r, nil
}
