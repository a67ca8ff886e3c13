// Package request decides about the certificate signing requests of agents: which cluster a request is for, and whether the hub approves it.
package request

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/registration"
)

const (
	// MaxLifetime is the longest life of the certificate of an agent.
	MaxLifetime = 30 * 24 * time.Hour
	minRSABits  = 2048
)

// ForAgent reports whether a request is for the certificate of an agent, valid or not: it names a user or the group of agents. Other
// requests are not accord's.
func ForAgent(spec *certificatesv1.CertificateSigningRequestSpec) bool {
	if spec.SignerName != certificatesv1.KubeAPIServerClientSignerName {
		return false
	}
	r, err := read(spec.Request)
	return err == nil && (strings.HasPrefix(r.Subject.CommonName, delivery.AgentUserPrefix) || slices.Contains(r.Subject.Organization, delivery.AgentsGroup))
}

// Form has the content of the request of an agent.
type Form struct {
	// User of the certificate, which names Cluster and the registration.
	User, Cluster string
	Key           crypto.PublicKey
}

// Parse returns an error for a request that has not exactly the form of the request of an agent; a certificate for it could do more than an
// agent.
func Parse(spec *certificatesv1.CertificateSigningRequestSpec) (Form, error) {
	r, err := read(spec.Request)
	if err != nil {
		return Form{}, err
	}
	names, found := strings.CutPrefix(r.Subject.CommonName, delivery.AgentUserPrefix)
	name, of, _ := strings.Cut(names, ":")
	switch {
	case spec.SignerName != certificatesv1.KubeAPIServerClientSignerName:
		return Form{}, fmt.Errorf("the signer is %q, expected %q", spec.SignerName, certificatesv1.KubeAPIServerClientSignerName)
	case !found:
		return Form{}, fmt.Errorf("the common name is %q, expected %sCLUSTER:REGISTRATION", r.Subject.CommonName, delivery.AgentUserPrefix)
	case !slices.Equal(r.Subject.Organization, []string{delivery.AgentsGroup}):
		return Form{}, fmt.Errorf("the organization is %q, expected %q alone", r.Subject.Organization, delivery.AgentsGroup)
	case len(r.Subject.Names) != 2:
		return Form{}, errors.New("the subject has attributes beside common name and organization")
	case len(r.DNSNames)+len(r.IPAddresses)+len(r.EmailAddresses)+len(r.URIs) > 0:
		return Form{}, errors.New("it has subject alternative names, and the certificate of an agent has none")
	case len(r.Extensions) > 0:
		return Form{}, errors.New("it has extensions, and the certificate of an agent has none")
	}
	if err := cmp.Or(registration.CheckClusterName(name), registration.CheckRegistrationName(of)); err != nil {
		return Form{}, err
	}
	if err := checkKey(spec, r); err != nil {
		return Form{}, err
	}
	if s := spec.ExpirationSeconds; s == nil || time.Duration(*s)*time.Second > MaxLifetime {
		return Form{}, fmt.Errorf("spec.expirationSeconds must be set, and at most %d (30 days)", int(MaxLifetime/time.Second))
	}
	return Form{User: r.Subject.CommonName, Cluster: name, Key: r.PublicKey}, nil
}

// checkKey checks the public key, the proof that the requester has the private one, and the usages.
func checkKey(spec *certificatesv1.CertificateSigningRequestSpec, r *x509.CertificateRequest) error {
	if err := r.CheckSignature(); err != nil {
		return fmt.Errorf("its signature is not by its key: %w", err)
	}
	wanted := []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth, certificatesv1.UsageDigitalSignature}
	switch key := r.PublicKey.(type) {
	case *ecdsa.PublicKey, ed25519.PublicKey:
	case *rsa.PublicKey:
		if key.N.BitLen() < minRSABits {
			return fmt.Errorf("the RSA key has %d bits, expected at least %d", key.N.BitLen(), minRSABits)
		}
		wanted = append(wanted, certificatesv1.UsageKeyEncipherment)
	default:
		return fmt.Errorf("keys of the type %s are not accepted; use ECDSA, Ed25519 or RSA", r.PublicKeyAlgorithm)
	}
	if !slices.Equal(slices.Sorted(slices.Values(spec.Usages)), wanted) {
		return fmt.Errorf("the usages are %q, expected %q", spec.Usages, wanted)
	}
	return nil
}

func read(text []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("spec.request is not a PEM block CERTIFICATE REQUEST")
	}
	r, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading spec.request: %w", err)
	}
	return r, nil
}

// New makes a key, and returns the request for the certificate of the agent of a cluster with it, and the key as PEM. user is that of the
// agent; empty if the cluster registers.
func New(random io.Reader, cluster, user string) (r *certificatesv1.CertificateSigningRequest, privateKey []byte, err error) {
	if user == "" {
		of, err := registration.NewRegistrationName(random)
		if err != nil {
			return nil, nil, err
		}
		user = delivery.AgentUser(cluster, of)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), random)
	if err != nil {
		return nil, nil, fmt.Errorf("making the key of the agent: %w", err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding the key of the agent: %w", err)
	}
	privateKey = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
	subject := pkix.Name{CommonName: user, Organization: []string{delivery.AgentsGroup}}
	der, err := x509.CreateCertificateRequest(random, &x509.CertificateRequest{Subject: subject}, key)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding the request of the agent: %w", err)
	}
	return &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "accord-agent-" + cluster + "-", Annotations: map[string]string{}},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:           pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			SignerName:        certificatesv1.KubeAPIServerClientSignerName,
			ExpirationSeconds: ptr.To(int32(MaxLifetime / time.Second)),
			Usages:            []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth},
		},
	}, privateKey, nil
}
