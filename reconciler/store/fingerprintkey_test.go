package store

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

// TestOnAHub has one hub for all tests.
func TestOnAHub(t *testing.T) {
	hub := localtest.Start(t, "hub").Config()
	t.Run("the key of fingerprints", func(t *testing.T) { keyOfFingerprints(t, hub) })
	t.Run("two writers of a status", func(t *testing.T) { twoWriters(t, hub) })
	t.Run("an approval during a restoration", func(t *testing.T) { approvedMeanwhile(t, hub) })
	t.Run("a second owner of a status", func(t *testing.T) { secondOwner(t, hub) })
	t.Run("writes without warnings", func(t *testing.T) { withoutWarnings(t, hub) })
	t.Run("a finalizer of a Cluster that changed", func(t *testing.T) { changedFinalizers(t, hub) })
	t.Run("spec and status in one request", func(t *testing.T) { whole(t, hub) })
}

// keyOfFingerprints checks that the first process that needs a key makes it, and that all have the same.
func keyOfFingerprints(t *testing.T, hub *rest.Config) {
	admin := clientFor(t, hub)
	at := func(namespace string) types.NamespacedName {
		return types.NamespacedName{Namespace: namespace, Name: FingerprintSecret}
	}
	load := func(ctx context.Context, as client.Client, namespace string, log *slog.Logger) (*fingerprint.Key, error) {
		return Fingerprints(ctx, as, as, at(namespace), log)
	}
	stored := func(namespace string) []byte {
		secret := &corev1.Secret{}
		require.NoError(t, admin.Get(t.Context(), at(namespace), secret))
		require.Len(t, secret.Data[FingerprintField], fingerprint.KeySize)
		return secret.Data[FingerprintField]
	}

	t.Log("a hub of its own: nothing is there, and several begin at once")
	all := make([]*fingerprint.Key, 8)
	var together sync.WaitGroup
	for i := range all {
		together.Go(func() {
			var err error
			all[i], err = load(t.Context(), admin, "accord-system", slog.New(slog.DiscardHandler))
			if err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	for _, p := range all {
		require.Equal(t, fingerprint.New(stored("accord-system"), true), p)
	}

	t.Log("an installed hub: the Secret is there, and empty; or has a key that is too short to be one")
	require.NoError(t, admin.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "installed"}}))
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "installed", Name: FingerprintSecret}}
	require.NoError(t, admin.Create(t.Context(), secret))
	var last []byte
	for _, data := range []map[string][]byte{nil, {FingerprintField: []byte("short")}} {
		secret.Data = data
		require.NoError(t, admin.Update(t.Context(), secret))
		for range 2 { // it stays
			p, err := load(t.Context(), admin, "installed", slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			require.Equal(t, fingerprint.New(stored("installed"), true), p)
		}
		require.NotEqual(t, last, stored("installed"))
		require.NoError(t, admin.Get(t.Context(), client.ObjectKeyFromObject(secret), secret))
		last = stored("installed")
	}
	require.NotEqual(t, stored("accord-system"), last)

	t.Log("not allowed: a key of this process, which is told once, and not what it is")
	stranger := rest.CopyConfig(hub)
	stranger.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	nobody := clientFor(t, stranger)
	var said bytes.Buffer
	p, err := load(t.Context(), nobody, "installed", slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	id := manifest.ID{Kind: "Secret", Name: "pin"}
	require.Equal(t, "digest", p.Staged(id, "digest"), "the key is not durable")
	require.NotEqual(t, fingerprint.New(last, true).Object(id, "digest"), p.Object(id, "digest"))
	require.NotEqual(t, ProcessFingerprints().Object(id, "digest"), p.Object(id, "digest"), "every call makes another key")
	require.Equal(t, 1, strings.Count(said.String(), "level=WARN"))
	require.Contains(t, said.String(), "secret=installed/accord.fingerprints")

	t.Log("a hub that does not answer: nobody knows, and that is an error")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = load(ended, admin, "installed", slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "Secret installed/accord.fingerprints on the hub")
}

func clientFor(t *testing.T, cfg *rest.Config) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)))
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return c
}
