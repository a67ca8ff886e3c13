package bootstrap_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"
	"k8s.io/cluster-bootstrap/token/jws"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/clusters/bootstrap"
)

func authority(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ca, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "hub"}, key)
	require.NoError(t, err)
	text, err := cert.EncodeCertificates(ca)
	require.NoError(t, err)
	return text
}

func TestSignatures(t *testing.T) {
	ca := authority(t)
	info, err := bootstrap.ClusterInfo("https://hub:6443", ca)
	require.NoError(t, err)
	one, other := registration.Token{ID: "abcdef", Secret: "0123456789abcdef"}, registration.Token{ID: "ghijkl", Secret: "0123456789abcdef"}
	_, err = bootstrap.Verify(info, one.ID, one.Secret)
	require.ErrorContains(t, err, "cluster-info is not signed for the token abcdef")

	for _, token := range []registration.Token{one, other} {
		changed, err := bootstrap.Sign(info, token)
		require.NoError(t, err)
		require.True(t, changed)
		changed, err = bootstrap.Sign(info, token)
		require.NoError(t, err)
		require.False(t, changed, "a signature is the same bytes each time, as kube-controller-manager writes them")
	}
	require.Equal(t, []string{"abcdef", "ghijkl"}, bootstrap.SignedFor(info))
	cluster, err := bootstrap.Verify(info, one.ID, one.Secret)
	require.NoError(t, err)
	require.Equal(t, "https://hub:6443", cluster.Server)
	require.Equal(t, ca, cluster.CertificateAuthorityData)

	forged := info.DeepCopy()
	evil, err := bootstrap.ClusterInfo("https://hub:6443", authority(t))
	require.NoError(t, err)
	forged.Data["kubeconfig"] = evil.Data["kubeconfig"]
	_, err = bootstrap.Verify(forged, one.ID, one.Secret)
	require.ErrorIs(t, err, bootstrap.ErrForged, "another CA under the signature of the hub")
	forged.Data["jws-kubeconfig-abcdef"], err = jws.ComputeDetachedSignature(forged.Data["kubeconfig"], one.ID, "fedcba9876543210")
	require.NoError(t, err)
	_, err = bootstrap.Verify(forged, one.ID, one.Secret)
	require.ErrorIs(t, err, bootstrap.ErrForged, "signed with another secret")
	forged.Data["jws-kubeconfig-abcdef"] = "eyJhbGciOiJub25lIn0.." // {"alg":"none"}
	_, err = bootstrap.Verify(forged, one.ID, one.Secret)
	require.ErrorIs(t, err, bootstrap.ErrForged)
	forged.Data["jws-kubeconfig-abcdef"] = info.Data["jws-kubeconfig-ghijkl"]
	_, err = bootstrap.Verify(forged, one.ID, one.Secret)
	require.ErrorIs(t, err, bootstrap.ErrForged, "the signature for another token")

	require.True(t, bootstrap.Unsign(info, one.ID))
	require.False(t, bootstrap.Unsign(info, one.ID))
	require.Equal(t, []string{"ghijkl"}, bootstrap.SignedFor(info))
}

func TestPins(t *testing.T) {
	ca, other := authority(t), authority(t)
	pins, err := bootstrap.Pins(ca)
	require.NoError(t, err)
	require.Len(t, pins, 1)
	require.NoError(t, bootstrap.CheckPinForm(pins[0]))
	require.NoError(t, bootstrap.CheckPins(ca, pins))
	require.ErrorContains(t, bootstrap.CheckPins(other, pins), "which --discovery-token-ca-cert-hash does not name")
	require.Error(t, bootstrap.CheckPins(append(ca, other...), pins), "each certificate of the bundle needs a pin")
	require.Error(t, bootstrap.CheckPins(nil, pins))
	for _, text := range []string{"", "sha256:", pins[0][7:], "md5:" + pins[0][7:], pins[0] + "00"} {
		require.Error(t, bootstrap.CheckPinForm(text), text)
	}
}
