package cluster_test

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/source/cluster"
)

const patience = 30 * time.Second

// line is a proxy in front of an API server: it counts requests by their methods and can be cut.
type line struct {
	*rest.Config
	mu      sync.Mutex
	methods map[string]int
	cut     atomic.Bool
	answer  atomic.Pointer[string] // a body with 404 in place of the API server's
	open    []context.CancelFunc
}

func newLine(t *testing.T, to *rest.Config) *line {
	l := &line{methods: map[string]int{}}
	target, err := url.Parse(to.Host)
	require.NoError(t, err)
	transport, err := rest.TransportFor(to)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, ErrorLog: nil,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := context.WithCancel(r.Context())
		defer end()
		l.mu.Lock()
		l.methods[r.Method]++
		l.open = append(l.open, end)
		l.mu.Unlock()
		if l.cut.Load() {
			panic(http.ErrAbortHandler)
		}
		if text := l.answer.Load(); text != nil {
			http.Error(w, *text, http.StatusNotFound)
			return
		}
		proxy.ServeHTTP(w, r.WithContext(ctx))
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	l.Config = &rest.Config{Host: "http://" + listener.Addr().String()}
	return l
}

// interrupt ends all requests.
func (l *line) interrupt(cut bool) {
	l.cut.Store(cut)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, end := range l.open {
		end()
	}
	l.open = nil
}

type fixture struct {
	*testing.T
	admin   kubernetes.Interface
	line    *line
	reader  *cluster.Reader
	history *cluster.History
	changes atomic.Int64
}

func (f *fixture) put(name, value string) {
	f.Helper()
	maps := f.admin.CoreV1().ConfigMaps("shop")
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"a": value}}
	if _, err := maps.Update(f.Context(), m, metav1.UpdateOptions{}); err != nil {
		_, err = maps.Create(f.Context(), m, metav1.CreateOptions{})
		require.NoError(f, err)
	}
}

func (f *fixture) remove(name string) {
	f.Helper()
	require.NoError(f, f.admin.CoreV1().ConfigMaps("shop").Delete(f.Context(), name, metav1.DeleteOptions{}))
}

// names returns the ConfigMaps of the newest snapshot.
func (f *fixture) names() string {
	s, err := f.reader.Snapshot(f.Context())
	if err != nil {
		return err.Error()
	}
	var all []string
	_ = fs.WalkDir(s.FS, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, strings.TrimSuffix(e.Name(), ".json"))
		}
		return err
	})
	return strings.Join(all, " ")
}

func (f *fixture) eventually(want string) {
	f.Helper()
	require.EventuallyWithT(f, func(c *assert.CollectT) { require.Equal(c, want, f.names()) }, patience, 10*time.Millisecond)
}

func (f *fixture) open(selected cluster.Selection, history *cluster.History) *cluster.Reader {
	r, err := cluster.Open(cluster.Options{
		Name: "prod", Config: f.line.Config, Selection: selected, Selected: "1", History: history, Changed: func() { f.changes.Add(1) }, Unsaved: func(err error) { f.Error(err) },
	})
	require.NoError(f, err)
	f.Cleanup(r.Close)
	return r
}

// TestReader reads a real API server as a user with the printed rights, through a connection that breaks.
func TestReader(t *testing.T) {
	plane := localtest.Start(t, "prod")
	admin := kubernetes.NewForConfigOrDie(plane.Config())
	f := &fixture{T: t, admin: admin}
	for _, ns := range []string{"shop", "other"} {
		_, err := admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	selected, err := cluster.NewSelection(&v1alpha1.ClusterSource{Name: "prod", Namespaces: []string{"shop"}, Kinds: []string{"ConfigMap", "apps/Deployment"}})
	require.NoError(t, err)
	user := plane.Config()
	user.Impersonate.UserName = "reader"
	f.line = newLine(t, user)
	f.put("a", "1")

	f.history, err = cluster.OpenHistory(filepath.Join(t.TempDir(), "prod.snapshots"), "uid")
	require.NoError(t, err)
	f.reader = f.open(selected, f.history)
	require.Eventually(t, func() bool { _, err := f.reader.Snapshot(t.Context()); return err != nil }, patience, 10*time.Millisecond)
	_, err = f.reader.Snapshot(t.Context())
	require.ErrorIs(t, err, source.ErrAuth, "without rights it is unread, not empty")
	require.ErrorContains(t, err, "cluster prod")

	grant(t, admin, plane.Config(), selected)
	f.eventually("a")
	first, err := f.reader.Snapshot(t.Context())
	require.NoError(t, err)
	require.Regexp(t, `^cluster@sha256:[0-9a-f]{64}$`, first.Revision)
	require.True(t, source.IsCluster(first.Revision))

	t.Run("a change is a snapshot that names it", func(t *testing.T) {
		f.put("b", "1")
		f.eventually("a b")
		next, err := f.reader.Snapshot(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"shop/ConfigMap/b.json"}, changed(t, first, next))
		_, err = fs.Stat(first.FS, "shop/ConfigMap/b.json")
		require.ErrorIs(t, err, fs.ErrNotExist, "snapshots do not change")
		kept, found := f.history.At(first.Revision)
		require.True(t, found)
		require.Equal(t, first.Revision, kept.Revision)
	})
	t.Run("equal objects are the same revision", func(t *testing.T) {
		f.remove("b")
		f.eventually("a")
		again, err := f.reader.Snapshot(t.Context())
		require.NoError(t, err)
		require.Equal(t, first.Revision, again.Revision)
		restarted, err := f.open(selected, cluster.NewHistory()).Snapshot(t.Context())
		require.NoError(t, err)
		require.Equal(t, first.Revision, restarted.Revision, "also after a restart")
	})
	t.Run("what programs note about an object is no change", func(t *testing.T) {
		before, err := f.reader.Snapshot(t.Context())
		require.NoError(t, err)
		live, err := admin.CoreV1().ConfigMaps("shop").Get(t.Context(), "a", metav1.GetOptions{})
		require.NoError(t, err)
		live.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"}
		_, err = admin.CoreV1().ConfigMaps("shop").Update(t.Context(), live, metav1.UpdateOptions{})
		require.NoError(t, err)
		f.put("c", "1")
		f.eventually("a c")
		after, err := f.reader.Snapshot(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"shop/ConfigMap/c.json"}, changed(t, before, after))
		f.remove("c")
		f.eventually("a")
	})
	t.Run("a cut connection is unread, and a deletion meanwhile counts after the next list", func(t *testing.T) {
		f.line.interrupt(true)
		require.Eventually(t, func() bool { _, err := f.reader.Snapshot(t.Context()); return err != nil }, patience, 10*time.Millisecond)
		_, err := f.reader.Snapshot(t.Context())
		require.ErrorIs(t, err, source.ErrUnreachable)
		require.ErrorContains(t, err, "the objects that were read before stay")
		f.put("d", "1")
		f.remove("a")
		f.line.interrupt(false)
		f.eventually("d")
	})
	t.Run("a server that serves nothing is unread", func(t *testing.T) {
		text := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
		f.line.answer.Store(&text)
		f.line.interrupt(false)
		require.Eventually(t, func() bool { _, err := f.reader.Snapshot(t.Context()); return err != nil }, patience, 10*time.Millisecond)
		f.line.answer.Store(nil)
		f.eventually("d")
	})
	t.Run("the cluster is not written to", func(t *testing.T) {
		f.line.mu.Lock()
		defer f.line.mu.Unlock()
		require.Equal(t, []string{"GET"}, keys(f.line.methods))
	})
}

func changed(t *testing.T, before, after source.Snapshot) []string {
	t.Helper()
	paths, known := after.FS.(interface {
		Changes(fs.FS) ([]string, bool)
	}).Changes(before.FS)
	require.True(t, known)
	return paths
}

func keys(m map[string]int) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// grant gives the user the rights that accord prints for a selection.
func grant(t *testing.T, admin kubernetes.Interface, cfg *rest.Config, selected cluster.Selection) {
	t.Helper()
	member, err := clusters.Connect(cfg, "prod")
	require.NoError(t, err)
	apis, err := member.Kinds.Discover()
	require.NoError(t, err)
	scopes, err := selected.Scopes(apis)
	require.NoError(t, err)
	for _, o := range cluster.Rights(scopes).Objects("accord-read", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: "reader"}) {
		switch o := o.(type) {
		case *rbacv1.Role:
			_, err = admin.RbacV1().Roles(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
		case *rbacv1.RoleBinding:
			_, err = admin.RbacV1().RoleBindings(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
		default:
			err = fmt.Errorf("a selection of one namespace needs no %T", o)
		}
		require.NoError(t, err)
	}
}
