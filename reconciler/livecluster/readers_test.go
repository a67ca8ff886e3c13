package livecluster_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/leastrole"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/livecluster"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/source"
)

const (
	namespace = "live-sources"
	patience  = time.Minute
)

// fixture is one API server, which is hub and production.
type fixture struct {
	*testing.T
	client.Client
	direct  *rest.Config // with the token of an administrator
	readers *livecluster.Readers
	proxied *atomic.Int64 // connections of the proxy
	proxy   string
}

// TestWaysToALiveCluster reads a real API server by each way that a source can name: a Cluster with a proxy, a Secret with a proxy, and
// the ServiceAccount of the controllers; and with the rights of the account of a Tenant.
func TestWaysToALiveCluster(t *testing.T) {
	f := newFixture(t)
	revision := f.reads("the ServiceAccount of the controllers", &v1alpha1.ClusterSource{InCluster: true}, nil)
	require.Zero(t, f.proxied.Load())

	f.create(&v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "prod"},
		Spec:       v1alpha1.ClusterSpec{APIEndpoint: f.direct.Host, ProxyURL: f.proxy, SecretRef: &v1alpha1.SecretRef{Namespace: namespace, Name: "prod"}},
	})
	secret := map[string][]byte{
		clusters.ServerKey: []byte(f.direct.Host), clusters.TokenKey: []byte(f.direct.BearerToken), clusters.CABundleKey: f.direct.CAData, clusters.ProxyURLKey: []byte(f.proxy),
	}
	f.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "own"}, Data: secret})
	secret[clusters.ClusterKey] = []byte("prod")
	f.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "prod"}, Type: clusters.SecretType, Data: secret})
	for name, x := range map[string]*v1alpha1.ClusterSource{
		"a Cluster with a proxy": {Name: "prod"}, "a Secret with a proxy": {SecretRef: &corev1.LocalObjectReference{Name: "own"}},
	} {
		before := f.proxied.Load()
		require.Equal(t, revision, f.reads(name, x, nil), "equal objects are one revision, by whatever way they were read")
		require.Greater(t, f.proxied.Load(), before, name)
	}

	rules, refused := tenancy.Of([]v1alpha1.Tenant{{
		ObjectMeta: metav1.ObjectMeta{Name: "team"},
		Spec: v1alpha1.TenantSpec{
			Federations: v1alpha1.TenantFederations{Namespaces: []string{namespace}}, Sources: []string{"**"}, Namespaces: []string{"*"},
			Impersonate: &v1alpha1.TenantAccount{Namespace: namespace, ServiceAccount: "team"},
		},
	}}, namespace+"/live", true)
	require.Nil(t, refused)
	impersonated := f.request(&v1alpha1.ClusterSource{Name: "prod"}, rules)
	_, err := f.readers.Snapshot(t.Context(), impersonated)
	require.ErrorIs(t, err, source.ErrAuth, "the token may read everything, and the account of the Tenant nothing")
	require.ErrorContains(t, err, "system:serviceaccount:"+namespace+":team")
	role := leastrole.Rules{namespace: {{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}}}}
	for _, o := range role.Objects("read", rbacv1.Subject{Kind: "ServiceAccount", Namespace: namespace, Name: "team"}) {
		f.create(o.(client.Object))
	}
	require.Equal(t, revision, f.reads("the account of a Tenant", &v1alpha1.ClusterSource{Name: "prod"}, rules))
}

func newFixture(t *testing.T) *fixture {
	plane := localtest.Start(t, "prod")
	scheme := runtime.NewScheme()
	require.NoError(t, errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)))
	c, err := client.New(plane.Config(), client.Options{Scheme: scheme})
	require.NoError(t, err)
	f := &fixture{T: t, Client: c, proxied: &atomic.Int64{}}
	require.NoError(t, store.Install(t.Context(), plane.Config()))
	f.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	f.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "settings"}, Data: map[string]string{"color": "red"}})
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "administrator"}}
	f.create(account)
	f.create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: account.Name}},
	})
	token := &authenticationv1.TokenRequest{}
	require.NoError(t, c.SubResource("token").Create(t.Context(), account, token))
	f.direct = rest.AnonymousClientConfig(plane.Config())
	f.direct.BearerToken = token.Status.Token
	f.proxy = connectProxy(t, f.proxied)
	networks, err := egress.ParseNetworks([]string{"127.0.0.0/8"})
	require.NoError(t, err)
	f.readers = livecluster.New(livecluster.Options{
		Hub: c, Secrets: c, SecretsNamespace: namespace, Networks: networks, CacheDir: t.TempDir(), Changed: func(types.NamespacedName) {},
		InCluster: func() (*rest.Config, error) { return rest.CopyConfig(f.direct), nil }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	t.Cleanup(func() { f.readers.Close(types.NamespacedName{Namespace: namespace, Name: "live"}) })
	return f
}

func (f *fixture) create(o client.Object) {
	f.Helper()
	require.NoError(f, f.Create(f.Context(), o))
}

func (f *fixture) request(s *v1alpha1.ClusterSource, rules *tenancy.Rules) livecluster.Request {
	s.Kinds, s.Namespaces = []string{"ConfigMap"}, []string{namespace}
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "live", UID: "1"}}
	return livecluster.Request{Federation: fed, Source: v1alpha1.Source{Name: "prod", Cluster: s}, Rules: rules}
}

// reads returns the revision of the newest snapshot of a source. It waits for rights, which the API server caches.
func (f *fixture) reads(what string, s *v1alpha1.ClusterSource, rules *tenancy.Rules) (revision string) {
	f.Helper()
	var last error
	require.Eventually(f, func() bool {
		ctx, cancel := context.WithTimeout(f.Context(), patience)
		defer cancel()
		r, err := f.readers.Snapshot(ctx, f.request(s, rules))
		if last = errors.Join(err, r.Unread); last != nil {
			return false
		}
		revision = r.Revision
		return true
	}, patience, 100*time.Millisecond, "%s: %v", what, last)
	return revision
}

// connectProxy is an HTTP proxy that counts its connections.
func connectProxy(t *testing.T, count *atomic.Int64) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far, err := net.Dial("tcp", r.Host)
		if r.Method != http.MethodConnect || err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer far.Close()
		count.Add(1)
		w.WriteHeader(http.StatusOK)
		near, sent, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer near.Close()
		go func() { _, _ = io.Copy(far, sent); _ = far.Close() }() // the server may have read the first byte
		_, _ = io.Copy(near, far)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
