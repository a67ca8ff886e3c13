package certificate_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/accord-dev/accord/apiserver/certificate"
)

const host = "accord-api.accord-system.svc"

// installed returns a hub with the empty Secret of "accord install".
func installed() client.WithWatch {
	return fake.NewClientBuilder().WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "accord-system", Name: certificate.Secret}}).Build()
}

func ensure(t *testing.T, hub client.Client, now time.Time) *certificate.Authority {
	t.Helper()
	a, err := certificate.Ensure(t.Context(), hub, "accord-system", now)
	require.NoError(t, err)
	return a
}

// leaf checks that the certificate is one for the host that an API server with the authority's certificate accepts.
func leaf(t *testing.T, s *certificate.Leaf, authority []byte, now time.Time) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(s.CurrentCertKeyContent())
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority))
	_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: now})
	require.NoError(t, err)
	return pair.Leaf
}

func TestReplicasShareTheAuthority(t *testing.T) {
	hub, now := installed(), time.Now()
	first := ensure(t, hub, now)
	require.Equal(t, first.PEM(), ensure(t, hub, now).PEM())
	s := certificate.NewServing(host)
	renewed, err := s.Renew(ensure(t, hub, now), now)
	require.NoError(t, err)
	require.True(t, renewed)
	leaf(t, s, first.PEM(), now)
}

func TestTheFirstReplicaThatWritesWins(t *testing.T) {
	hub, now := installed(), time.Now()
	var won *certificate.Authority
	slow := interceptor.NewClient(hub, interceptor.Funcs{Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
		if won == nil {
			won = ensure(t, hub, now) // another replica writes after this one has read
		}
		return c.Update(ctx, o, opts...)
	}})
	require.Equal(t, string(ensure(t, slow, now).PEM()), string(won.PEM()))
}

func TestTheAuthorityIsRenewedForTheSameKey(t *testing.T) {
	hub, now := installed(), time.Now()
	before := ensure(t, hub, now)
	s := certificate.NewServing(host)
	_, err := s.Renew(before, now)
	require.NoError(t, err)

	later := now.AddDate(7, 0, 0)
	after := ensure(t, hub, later)
	require.NotEqual(t, string(before.PEM()), string(after.PEM()))
	renewed, err := s.Renew(after, later)
	require.NoError(t, err)
	require.True(t, renewed)
	leaf(t, s, before.PEM(), later)
	leaf(t, s, after.PEM(), later)
}

func TestAServingCertificateIsRenewedInItsLastThird(t *testing.T) {
	a, now := ensure(t, installed(), time.Now()), time.Now()
	s, heard := certificate.NewServing(host), listener{}
	s.AddListener(&heard)
	for _, c := range []struct {
		days    int
		renewed bool
	}{{0, true}, {1, false}, {59, false}, {61, true}, {62, false}} {
		at := now.AddDate(0, 0, c.days)
		renewed, err := s.Renew(a, at)
		require.NoError(t, err)
		require.Equal(t, c.renewed, renewed, "day %d", c.days)
		leaf(t, s, a.PEM(), at)
	}
	require.Equal(t, 2, heard.calls, "the server loads each new certificate")
}

type listener struct{ calls int }

func (l *listener) Enqueue() { l.calls++ }

func TestASecretThatCannotBeReadStays(t *testing.T) {
	hub := installed()
	secret := &corev1.Secret{}
	at := types.NamespacedName{Namespace: "accord-system", Name: certificate.Secret}
	require.NoError(t, hub.Get(t.Context(), at, secret))
	secret.Data = map[string][]byte{"ca.crt": []byte("a certificate of somebody else")}
	require.NoError(t, hub.Update(t.Context(), secret))
	_, err := certificate.Ensure(t.Context(), hub, at.Namespace, time.Now())
	require.ErrorContains(t, err, "delete both fields")
}

// TestOnlyReplicasAreReplicas has clients with each certificate that is near to that of a replica.
func TestOnlyReplicasAreReplicas(t *testing.T) {
	now, trust := time.Now(), &certificate.Trust{}
	own, foreign := ensure(t, installed(), now), ensure(t, installed(), now)
	check := func(l *certificate.Leaf, by *certificate.Authority) error {
		_, err := l.Renew(by, now)
		require.NoError(t, err)
		pair, err := tls.X509KeyPair(l.CurrentCertKeyContent())
		require.NoError(t, err)
		return trust.CheckReplica(&http.Request{TLS: &tls.ConnectionState{PeerCertificates: []*x509.Certificate{pair.Leaf}}})
	}
	require.Error(t, check(certificate.NewReplica(), own), "nothing is trusted yet")
	trust.Set(own)
	require.NoError(t, check(certificate.NewReplica(), own))
	require.Error(t, check(certificate.NewReplica(), foreign))
	require.Error(t, check(certificate.NewServing(host), own))
	require.Error(t, check(certificate.NewServing(certificate.Replica), own), "the certificate of a server with the name of a replica")
	require.Error(t, trust.CheckReplica(&http.Request{}))
	require.Error(t, trust.CheckReplica(&http.Request{TLS: &tls.ConnectionState{}}))
}
