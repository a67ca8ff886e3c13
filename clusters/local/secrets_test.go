package local

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestHostileReaderOfTheStore reads Secrets directly from etcd: a plain store is encrypted by the next start, a new key replaces
// the old one, and the audit log has each request but no value.
func TestHostileReaderOfTheStore(t *testing.T) {
	t.Parallel()
	const planted = "planted-in-the-store-5b1e"
	dir := t.TempDir()
	log := filepath.Join(dir, "audit.log")
	start := func(o Options) (*ControlPlane, *kubernetes.Clientset) {
		o.Dir = dir
		c, err := Start(t.Context(), o)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Stop() })
		client, err := kubernetes.NewForConfig(c.Config())
		require.NoError(t, err)
		return c, client
	}
	stored := func(c *ControlPlane) []byte {
		answer, err := c.store.etcd.Server.Range(t.Context(), &etcdserverpb.RangeRequest{Key: []byte("/registry/secrets/default/planted")})
		require.NoError(t, err)
		require.Len(t, answer.Kvs, 1)
		return answer.Kvs[0].Value
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "planted"}, StringData: map[string]string{"password": planted}}

	// A store without encryption of Secrets.
	plain := &encryption{path: filepath.Join(dir, "encryption.yaml")}
	require.NoError(t, os.WriteFile(plain.path, []byte(`apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources: [{resources: [podtemplates], providers: [{secretbox: {keys: [{name: a, secret: MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=}]}}]}]
`), 0o600))
	first, client := start(Options{})
	_, err := client.CoreV1().Secrets("default").Create(t.Context(), secret, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Contains(t, string(stored(first)), planted)
	require.NoError(t, first.Stop())
	require.NoError(t, os.Remove(plain.path))

	second, client := start(Options{AuditLog: log})
	encrypted := stored(second)
	require.NotContains(t, string(encrypted), planted)
	require.True(t, bytes.HasPrefix(encrypted, []byte("k8s:enc:secretbox:v1:")), "%.40q", encrypted)
	got, err := client.CoreV1().Secrets("default").Get(t.Context(), "planted", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, planted, string(got.Data["password"]))
	info, err := os.Stat(plain.path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, second.Stop())

	text, err := os.ReadFile(plain.path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "identity", "plain values are still accepted")
	requests, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Contains(t, string(requests), `"/api/v1/namespaces/default/secrets/planted"`)
	require.Contains(t, string(requests), `"username":"accord-admin"`)
	require.NotContains(t, string(requests), planted)
	require.NotContains(t, string(requests), "requestObject")
	info, err = os.Stat(log)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	third, client := start(Options{RotateKey: true})
	rotated := stored(third)
	require.NotEqual(t, bytes.SplitN(encrypted, []byte(":"), 6)[4], bytes.SplitN(rotated, []byte(":"), 6)[4], "name of the key")
	_, err = client.CoreV1().Secrets("default").Get(t.Context(), "planted", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, third.Stop())
	again, err := ensureEncryption(dir, false)
	require.NoError(t, err)
	require.Len(t, again.config.Resources[0].Providers, 1, "the old key is kept")
}
