package register_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/agent"
)

func (w *world) leaf(cfg *rest.Config) *x509.Certificate {
	w.Helper()
	all, err := cert.ParseCertsPEM(cfg.CertData)
	require.NoError(w, err)
	return all[0]
}

// ending returns the connection of an agent with another certificate of the hub, which ends in ten minutes.
func (w *world) ending(registered *rest.Config) *rest.Config {
	w.Helper()
	ca, signer, err := w.authority()
	require.NoError(w, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(w, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(w, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: w.leaf(registered).Subject, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(10 * time.Minute),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, ca, &key.PublicKey, signer)
	require.NoError(w, err)
	old := rest.CopyConfig(registered)
	old.CertData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	old.KeyData = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
	return old
}

// renews has the agent write its new key and certificate into its Secret, with the rights of its account on the cluster.
func renews(w *world, _ []string) {
	registered := w.agent()
	a, err := agent.New(agent.Options{
		Cluster: "eu-1", Hub: w.ending(registered), Local: w.account(), Secret: types.NamespacedName{Namespace: "accord-system", Name: "accord-agent-hub"},
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(w, err)
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() { a.Run(ctx); close(ended) }()
	require.Eventually(w, func() bool { return !bytes.Equal(w.agent().CertData, registered.CertData) }, patience, 50*time.Millisecond)
	cancel()
	<-ended

	renewed := w.agent()
	before, now := w.leaf(registered), w.leaf(renewed)
	require.Equal(w, before.Subject.CommonName, now.Subject.CommonName, "the same registration")
	require.NotEqual(w, before.PublicKey, now.PublicKey)
	require.Greater(w, time.Until(now.NotAfter), 29*24*time.Hour)
	require.NoError(w, clientOf(w, renewed).Get(w.Context(), client.ObjectKey{Name: "eu-1"}, &v1alpha1.Cluster{}))
}
