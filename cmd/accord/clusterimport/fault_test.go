package clusterimport_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// faulty is an API server with three ConfigMaps on two pages, and with Widgets that it does not list at first.
type faulty struct {
	mu      sync.Mutex
	counts  map[string]int
	expired bool // the second page of the first list has expired
	broken  bool // no Widgets
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	next := r.URL.Query().Get("continue")
	f.counts[r.URL.Path+next]++
	configMap := func(n int) string {
		return fmt.Sprintf(`{"metadata":{"name":"c%d","namespace":"shop","uid":"u%d"},"data":{"n":"1"}}`, n, n)
	}
	switch r.URL.Path {
	case "/api":
		fmt.Fprint(w, `{"kind":"APIVersions","versions":["v1"]}`)
	case "/apis":
		fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}]}`)
	case "/api/v1":
		fmt.Fprint(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":["create","list"]}]}`)
	case "/apis/example.com/v1":
		fmt.Fprint(w, `{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["create","list"]}]}`)
	case "/api/v1/configmaps":
		switch {
		case next == "":
			fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":"more"},"items":[%s,%s]}`, configMap(1), configMap(2))
		case f.expired:
			f.expired = false
			w.WriteHeader(http.StatusGone)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`)
		default:
			fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[%s]}`, configMap(3))
		}
	case "/apis/example.com/v1/widgets":
		if f.broken {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403}`)
			return
		}
		fmt.Fprint(w, `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{},"items":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop","uid":"w"}}]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// TestAnInterruptedImportContinues also reads a list again whose second page has expired.
func TestAnInterruptedImportContinues(t *testing.T) {
	f := &faulty{counts: map[string]int{}, expired: true, broken: true}
	server := httptest.NewServer(f)
	defer server.Close()
	cfg := clientcmdapi.NewConfig()
	addCluster(cfg, "prod", server.URL)
	kubeconfig, dir := filepath.Join(t.TempDir(), "kubeconfig"), filepath.Join(t.TempDir(), "out")
	require.NoError(t, clientcmd.WriteToFile(*cfg, kubeconfig))
	w := &world{}

	for { // the failure of one kind may end the import before another kind has been read
		_, err := w.run(kubeconfig, "--out", dir)
		require.ErrorContains(t, err, "reading widgets.example.com of cluster prod")
		require.ErrorContains(t, err, "--exclude widgets.example.com does without it")
		require.ErrorContains(t, err, "run the same command again")
		if _, err := os.Stat(filepath.Join(dir, ".accord-import", "prod.configmaps.json")); err == nil {
			break
		}
	}
	_, err := w.run(kubeconfig, "--out", dir, "--policy")
	require.ErrorContains(t, err, "an interrupted import with other flags")
	require.NoFileExists(t, filepath.Join(dir, "shop", "kustomization.yaml"))
	before := f.counts["/api/v1/configmaps"]

	f.broken = false
	out, err := w.run(kubeconfig, "--out", dir)
	require.NoError(t, err)
	require.Contains(t, out, "wrote 4 objects and 0 policies")
	require.FileExists(t, filepath.Join(dir, "shop", "configmap", "c3.yaml"))
	require.FileExists(t, filepath.Join(dir, "shop", "widget.example.com", "w.yaml"))
	require.NoDirExists(t, filepath.Join(dir, ".accord-import"))
	require.Equal(t, before, f.counts["/api/v1/configmaps"], "it has been read already")
	_, err = w.run(kubeconfig, "--out", dir)
	require.ErrorContains(t, err, "accord replaces no file")
}
