// Package certificate makes the certificates of the aggregated API server: an authority in a Secret of the hub, which all replicas share,
// and two certificates of each replica in its memory: of its server, and of its requests to the other replicas.
package certificate

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// Secret is the name of the Secret, in accord's namespace on the hub, that holds the authority. "accord install" creates it empty, so
	// that accord needs no permission to create Secrets; on its own hub accord creates it.
	Secret = "accord.apiserver"
	// certificateField and keyField are the fields of the Secret.
	certificateField, keyField = "ca.crt", "ca.key"

	authorityValidity = 10 * 365 * 24 * time.Hour
	// tries bounds the attempts to read or write the Secret: another replica may do so at the same time.
	tries = 5
)

// Authority signs the certificates of all replicas.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

// PEM returns the certificate, as an APIService has it.
func (a *Authority) PEM() []byte { return a.pem }

// Ensure returns the authority in the Secret of a namespace. It makes one if there is none, and a new certificate for the same key in the
// last third of its time, so that certificates that it signed earlier stay valid.
func Ensure(ctx context.Context, hub client.Client, namespace string, now time.Time) (*Authority, error) {
	at := types.NamespacedName{Namespace: namespace, Name: Secret}
	for range tries {
		a, err := ensure(ctx, hub, at, now)
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading or writing the authority of the aggregated API server in Secret %s on the hub: %w", at, err)
		}
		if a != nil {
			return a, nil
		}
	}
	return nil, fmt.Errorf("others change Secret %s on the hub again and again", at)
}

// ensure returns nil if it created the namespace, and is to be tried again.
func ensure(ctx context.Context, hub client.Client, at types.NamespacedName, now time.Time) (*Authority, error) {
	secret := &corev1.Secret{}
	err := hub.Get(ctx, at, secret)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return nil, err
	}
	current, err := parse(secret.Data)
	if err != nil {
		return nil, err
	}
	if current != nil && !old(current.certificate, now) {
		return current, nil
	}
	a, err := renewed(current, now)
	if err != nil {
		return nil, err
	}
	if secret.Data, err = a.data(secret.Data); err != nil {
		return nil, err
	}
	if !missing {
		return a, hub.Update(ctx, secret, client.FieldOwner(v1alpha1.FieldManager)) // fails if the Secret changed since
	}
	secret.ObjectMeta = metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name}
	err = hub.Create(ctx, secret, client.FieldOwner(v1alpha1.FieldManager))
	if !apierrors.IsNotFound(err) {
		return a, err
	}
	return nil, hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: at.Namespace}}, client.FieldOwner(v1alpha1.FieldManager))
}

// parse returns the authority in the data of a Secret, and nil if there is none. Something else there is an error: accord overwrites nothing
// that it cannot read.
func parse(data map[string][]byte) (*Authority, error) {
	if len(data[certificateField]) == 0 && len(data[keyField]) == 0 {
		return nil, nil
	}
	certificate, key := decode(data[certificateField]), decode(data[keyField])
	if certificate == nil || key == nil {
		return nil, fmt.Errorf("%s or %s is not PEM: delete both fields", certificateField, keyField)
	}
	c, err := x509.ParseCertificate(certificate)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", certificateField, err)
	}
	k, err := x509.ParseECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyField, err)
	}
	if !k.PublicKey.Equal(c.PublicKey) {
		return nil, errors.New("the certificate belongs to another key: delete both fields")
	}
	return &Authority{c, k, data[certificateField]}, nil
}

func decode(text []byte) []byte {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	return block.Bytes
}

// renewed returns an authority with a new certificate, for the key of the current one if there is one.
func renewed(current *Authority, now time.Time) (*Authority, error) {
	a := &Authority{}
	if current != nil {
		a.key = current.key
	} else {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		a.key = key
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "accord-apiserver-ca"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := sign(template, template, a.key.Public(), a.key, now, authorityValidity)
	if err != nil {
		return nil, err
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a, nil
}

// data returns the data of the Secret with the authority.
func (a *Authority) data(data map[string][]byte) (map[string][]byte, error) {
	key, err := encode(a.key)
	if err != nil {
		return nil, err
	}
	if data == nil {
		data = map[string][]byte{}
	}
	data[certificateField], data[keyField] = a.pem, key
	return data, nil
}

func encode(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func sign(template, parent *x509.Certificate, public any, key *ecdsa.PrivateKey, now time.Time, valid time.Duration) ([]byte, error) {
	template.NotBefore = now.Add(-time.Hour) // clocks of machines differ
	template.NotAfter = template.NotBefore.Add(valid)
	return x509.CreateCertificate(rand.Reader, template, parent, public, key)
}

// old reports whether a certificate is in the last third of its time.
func old(c *x509.Certificate, now time.Time) bool {
	return c.NotAfter.Sub(now) < c.NotAfter.Sub(c.NotBefore)/3
}
