package proxy_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/local/selfsigned"
	"github.com/accord-dev/accord/clusters/proxy"
)

// connectProxy returns an HTTP proxy that lets those through who send the header of the cluster, and counts them.
func connectProxy(t *testing.T) (url string, passed *atomic.Int64) {
	passed = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("X-Team") != "shop" || r.Header.Get("Authorization") != "" {
			http.Error(w, "wrong", http.StatusProxyAuthRequired)
			return
		}
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer to.Close()
		passed.Add(1)
		w.WriteHeader(http.StatusOK)
		conn, sent, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		go func() { _, _ = io.Copy(to, sent); _ = to.Close() }() // the server may have read the first byte; ends with the connection
		_, _ = io.Copy(conn, to)
	}))
	t.Cleanup(s.Close)
	return s.URL, passed
}

// TestForwardUsesTheProxyOfTheCluster: spec.proxyURL, spec.proxyHeader and the authority of a cluster apply to requests and to upgrades.
func TestForwardUsesTheProxyOfTheCluster(t *testing.T) {
	plain := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			fmt.Fprint(w, "hello")
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\nupgraded")
	})
	s := httptest.NewTLSServer(plain.Config.Handler)
	defer s.Close()
	through, passed := connectProxy(t)
	foreign, _, err := selfsigned.New("other")
	require.NoError(t, err)
	pemOf := func(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}) }
	at := func(authority []byte, header string) *httptest.Server {
		cluster := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu"}, Spec: v1alpha1.ClusterSpec{
			SyncMode: v1alpha1.SyncModePush, SecretRef: &v1alpha1.SecretRef{Namespace: "accord", Name: "eu"}, ProxyURL: through, ProxyHeader: map[string]string{"X-Team": header},
		}}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "accord", Name: "eu"}, Type: clusters.SecretType, Data: map[string][]byte{
			clusters.ClusterKey: []byte("eu"), clusters.ServerKey: []byte(s.URL), clusters.TokenKey: []byte("of accord"), clusters.CABundleKey: authority, clusters.ProxyURLKey: []byte(through),
		}}
		cfg, err := clusters.RESTConfig(cluster, secret, "accord")
		require.NoError(t, err)
		cfg.ContentType = "application/json" // newServer reads nothing else
		m, err := proxy.New(cfg, "eu")
		require.NoError(t, err)
		t.Cleanup(m.Close)
		hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.Forward(w, r, proxy.Caller{User: "bob"}) }))
		t.Cleanup(hub.Close)
		return hub
	}
	send := func(hub *httptest.Server, headers ...string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hub.URL+"/api", nil)
		require.NoError(t, err)
		if len(headers) > 0 {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", headers[0])
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}

	hub := at(pemOf(s.Certificate().Raw), "shop")
	code, text := send(hub)
	require.Equal(t, http.StatusOK, code, text)
	require.Equal(t, "hello", text)
	before := passed.Load()
	require.Positive(t, before)
	code, text = send(hub, "test")
	require.Equal(t, http.StatusSwitchingProtocols, code, text)
	require.Equal(t, "upgraded", text)
	require.Greater(t, passed.Load(), before, "the upgrade went around the proxy")

	code, text = send(at(pemOf(s.Certificate().Raw), "other"))
	require.Equal(t, http.StatusBadGateway, code, text)
	require.Contains(t, text, "Proxy Authentication Required")
	code, text = send(at(pemOf(foreign.Certificate[0]), "shop"))
	require.Equal(t, http.StatusBadGateway, code, text)
	require.Contains(t, text, "certificate signed by unknown authority")
}
