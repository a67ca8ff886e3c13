package reconciler

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/clusters/local/localtest"
)

// TestTheKeyOfFingerprints is kept on a hub by whoever needs it first, and all have the same.
func TestTheKeyOfFingerprints(t *testing.T) {
	hub := localtest.Start(t, "hub").Config()
	admin := clientFor(t, hub)
	kept := func(namespace string) keyring {
		return keyring{admin, admin, types.NamespacedName{Namespace: namespace, Name: fingerprintSecret}}
	}

	t.Log("a hub of its own: nothing is there, and several begin at once")
	all := make([]*fingerprints, 8)
	var together sync.WaitGroup
	for i := range all {
		together.Go(func() {
			var err error
			all[i], err = kept("accord-system").fingerprints(t.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	for _, p := range all {
		require.True(t, p.lasting)
		require.Len(t, p.key, fingerprintKeySize)
		require.Equal(t, all[0].key, p.key)
	}

	t.Log("an installed hub: the Secret is there, and empty; or has a key that is too short to be one")
	require.NoError(t, admin.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "installed"}}))
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "installed", Name: fingerprintSecret}}
	require.NoError(t, admin.Create(t.Context(), secret))
	var last []byte
	for _, data := range []map[string][]byte{nil, {fingerprintEntry: []byte("short")}} {
		secret.Data = data
		require.NoError(t, admin.Update(t.Context(), secret))
		key, err := kept("installed").key(t.Context())
		require.NoError(t, err)
		require.Len(t, key, fingerprintKeySize)
		require.NotEqual(t, last, key)
		last = key
		require.NoError(t, admin.Get(t.Context(), client.ObjectKeyFromObject(secret), secret))
		require.Equal(t, key, secret.Data[fingerprintEntry])
		again, err := kept("installed").key(t.Context())
		require.NoError(t, err)
		require.Equal(t, key, again)
	}
	require.NotEqual(t, all[0].key, last)

	t.Log("not allowed: a key of this process, which is told once, and not what it is")
	stranger := rest.CopyConfig(hub)
	stranger.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	nobody := clientFor(t, stranger)
	var said bytes.Buffer
	p, err := keyring{nobody, nobody, kept("installed").at}.fingerprints(t.Context(), slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	require.False(t, p.lasting)
	require.Len(t, p.key, fingerprintKeySize)
	require.NotEqual(t, last, p.key)
	require.Equal(t, 1, strings.Count(said.String(), "level=WARN"))
	require.Contains(t, said.String(), "secret=installed/accord.fingerprints")

	t.Log("a hub that does not answer: nobody knows, and that is an error")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = kept("installed").fingerprints(ended, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "Secret installed/accord.fingerprints on the hub")
}

func clientFor(t *testing.T, cfg *rest.Config) client.Client {
	t.Helper()
	scheme, err := newScheme()
	require.NoError(t, err)
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return c
}
