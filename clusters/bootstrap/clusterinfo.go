// Package bootstrap verifies and signs the ConfigMap cluster-info, by which a cluster that registers trusts its hub, as kubeadm and
// kube-controller-manager do.
package bootstrap

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	api "k8s.io/cluster-bootstrap/token/api"
	"k8s.io/cluster-bootstrap/token/jws"

	"github.com/accord-dev/accord/api/registration"
)

// pinPrefix comes before the digest of a pin. kubeadm has no other form.
const pinPrefix = "sha256:"

// ClusterInfo returns the ConfigMap cluster-info with the address and the CA bundle of a hub, unsigned.
func ClusterInfo(server string, ca []byte) (*corev1.ConfigMap, error) {
	c := clientcmdapi.NewConfig()
	c.Clusters[""] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	text, err := clientcmd.Write(*c)
	if err != nil {
		return nil, fmt.Errorf("encoding cluster-info: %w", err)
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: metav1.NamespacePublic, Name: api.ConfigMapClusterInfo, Labels: map[string]string{registration.ManagedByLabel: registration.ManagedBy},
		},
		Data: map[string]string{api.KubeConfigKey: string(text)},
	}, nil
}

// Sign signs the ConfigMap for a token, with the same bytes as kube-controller-manager, and reports whether it changed the ConfigMap.
func Sign(info *corev1.ConfigMap, t registration.Token) (changed bool, err error) {
	signature, err := jws.ComputeDetachedSignature(info.Data[api.KubeConfigKey], t.ID, t.Secret)
	if err != nil {
		return false, fmt.Errorf("signing cluster-info: %w", err)
	}
	key := api.JWSSignatureKeyPrefix + t.ID
	changed = info.Data[key] != signature
	info.Data[key] = signature
	return changed, nil
}

// Unsign removes the signature for a token, and reports whether there was one.
func Unsign(info *corev1.ConfigMap, id string) bool {
	_, signed := info.Data[api.JWSSignatureKeyPrefix+id]
	delete(info.Data, api.JWSSignatureKeyPrefix+id)
	return signed
}

// SignedFor returns the IDs of the tokens that the ConfigMap is signed for, sorted.
func SignedFor(info *corev1.ConfigMap) []string {
	var ids []string
	for key := range info.Data {
		if id, found := strings.CutPrefix(key, api.JWSSignatureKeyPrefix); found {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// ErrForged is the error of a ConfigMap whose signature for the token is not the token's.
var ErrForged = errors.New("the signature of cluster-info is not that of the token: the server is not the hub that issued the token, or somebody changed the answer")

// Verify returns the address and the CA bundle of a signed ConfigMap.
func Verify(info *corev1.ConfigMap, id, secret string) (*clientcmdapi.Cluster, error) {
	text, signature := info.Data[api.KubeConfigKey], info.Data[api.JWSSignatureKeyPrefix+id]
	if signature == "" {
		return nil, fmt.Errorf("cluster-info is not signed for the token %s: the token is deleted, used up or of another hub; create another one with \"accord token create\"", id)
	}
	if !jws.DetachedTokenIsValid(signature, text, id, secret) {
		return nil, ErrForged
	}
	return Content(info)
}

// Content returns the address and the CA bundle of the ConfigMap, without a look at its signatures.
func Content(info *corev1.ConfigMap) (*clientcmdapi.Cluster, error) {
	c, err := clientcmd.Load([]byte(info.Data[api.KubeConfigKey]))
	if err != nil {
		return nil, fmt.Errorf("reading cluster-info: %w", err)
	}
	if len(c.Clusters) != 1 {
		return nil, fmt.Errorf("reading cluster-info: expected one cluster, got %d", len(c.Clusters))
	}
	for _, cluster := range c.Clusters {
		if len(cluster.CertificateAuthorityData) == 0 {
			return nil, errors.New("reading cluster-info: it has no certificate-authority-data")
		}
		return cluster, nil
	}
	return nil, nil // not reached
}

// Pins returns "sha256:<digest>" of the public key of each certificate of a CA bundle, as kubeadm computes it.
func Pins(ca []byte) ([]string, error) {
	certificates, err := cert.ParseCertsPEM(ca)
	if err != nil {
		return nil, fmt.Errorf("reading the CA of the hub: %w", err)
	}
	var pins []string
	for _, c := range certificates {
		pins = append(pins, pin(c))
	}
	return slices.Compact(slices.Sorted(slices.Values(pins))), nil
}

func pin(c *x509.Certificate) string {
	digest := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return pinPrefix + hex.EncodeToString(digest[:])
}

// CheckPinForm returns an error for a text that is not a pin.
func CheckPinForm(text string) error {
	digest, found := strings.CutPrefix(text, pinPrefix)
	raw, err := hex.DecodeString(digest)
	if !found || err != nil || len(raw) != sha256.Size || !bytes.Equal([]byte(digest), bytes.ToLower([]byte(digest))) {
		return fmt.Errorf("CA hash %q: expected %s and 64 hexadecimal digits, as \"accord token create --print-register-command\" prints it", text, pinPrefix)
	}
	return nil
}

// CheckPins returns an error if a certificate of the CA bundle has none of the pins.
func CheckPins(ca []byte, pins []string) error {
	have, err := Pins(ca)
	if err != nil {
		return err
	}
	for _, p := range have {
		if !slices.Contains(pins, p) {
			return fmt.Errorf("the CA of the hub has the hash %s, which --discovery-token-ca-cert-hash does not name: the server is not the hub, or its CA changed; "+
				"compare with \"accord token create --print-register-command\"", p)
		}
	}
	return nil
}
