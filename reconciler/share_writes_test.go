package reconciler_test

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// writes are those that reached the members, seen from outside of accord.
type writes struct {
	assigned func(cluster string) (revision string) // on the hub

	mu    sync.Mutex
	all   []write
	lists time.Duration // that each list of the objects of a Federation takes
}

// write is one request of a replica that changes a ConfigMap of namespace shop. assigned is the revision that the hub assigned to the
// cluster when the request came.
type write struct{ cluster, replica, name, value, assigned string }

// through is how a member is reached.
type through struct {
	url       string
	authority []byte
}

// server passes everything on to an API server, and writes down what changes something.
func (w *writes) server(t *testing.T, cluster string, cfg *rest.Config) through {
	t.Helper()
	target, err := url.Parse(cfg.Host)
	require.NoError(t, err)
	tls, err := rest.TLSConfigFor(&rest.Config{Host: cfg.Host, TLSClientConfig: rest.TLSClientConfig{CAData: cfg.CAData}})
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{TLSClientConfig: tls, ForceAttemptHTTP2: true}
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0) // a replica that is killed lets go of its requests
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		w.note(cluster, r)
		if r.Method == http.MethodGet && strings.Contains(r.URL.Query().Get("labelSelector"), "applyset.kubernetes.io/") {
			time.Sleep(w.listTime())
		}
		proxy.ServeHTTP(to, r)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = proxy.ErrorLog
	server.StartTLS()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return through{server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
}

// note a request that writes a ConfigMap.
func (w *writes) note(cluster string, r *http.Request) {
	dir, name := path.Split(r.URL.Path)
	if r.Method == http.MethodGet || r.URL.Query().Get("dryRun") != "" || dir != "/api/v1/namespaces/shop/configmaps/" {
		return
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var cm corev1.ConfigMap
	if err != nil || yaml.Unmarshal(body, &cm) != nil {
		cm.Data = map[string]string{"key": "unreadable"}
	}
	_, replica, _ := strings.Cut(r.UserAgent(), "replica/")
	x := write{cluster, replica, name, cm.Data["key"], w.assigned(cluster)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, x)
}

// of returns the writes of a value of a ConfigMap on a cluster.
func (w *writes) of(cluster, name, value string) []write {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []write
	for _, x := range w.all {
		if x.cluster == cluster && x.name == name && x.value == value {
			all = append(all, x)
		}
	}
	return all
}

// slowLists has each list of the objects of a Federation take some time.
func (w *writes) slowLists(lasts time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists = lasts
}

func (w *writes) listTime() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lists
}

func (w *writes) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// forgive forgets the last write on a cluster: it was a repair.
func (w *writes) forgive(cluster string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.all) - 1; i >= 0; i-- {
		if w.all[i].cluster == cluster {
			w.all = append(w.all[:i], w.all[i+1:]...)
			return
		}
	}
}

// byTwo are the values that two replicas wrote.
func (w *writes) byTwo() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen, both := map[write]string{}, []string{}
	for _, x := range w.all {
		by := x.replica
		x.replica, x.assigned = "", ""
		if before, again := seen[x]; again && before != by {
			both = append(both, fmt.Sprintf("%+v by %s and by %s", x, before, by))
		}
		seen[x] = by
	}
	return both
}

// prefixed writes to a log which replica it was.
type prefixed struct {
	to   *os.File
	name string
}

func (p prefixed) Write(line []byte) (int, error) {
	_, err := fmt.Fprintf(p.to, "%s: %s", p.name, line)
	return len(line), err
}
