package peers

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes/fake"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/apiserver/certificate"
)

const host = "accord-api.accord-system.svc"

// served returns a replica whose server has a handler.
func served(t *testing.T, hub *fake.Clientset, authority *certificate.Authority, name string, handler func(*Peers) http.Handler) (*Peers, *httptest.Server) {
	t.Helper()
	p := replica(t, hub, name, "")
	p.Trust.Set(authority)
	serving := certificate.NewServing(host)
	for _, l := range []*certificate.Leaf{p.Own, serving} {
		_, err := l.Renew(authority, time.Now())
		require.NoError(t, err)
	}
	pair, err := tls.X509KeyPair(serving.CurrentCertKeyContent())
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(handler(p))
	server.EnableHTTP2, server.TLS = true, &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	p.Address = server.Listener.Addr().String()
	require.NoError(t, p.renew(t.Context()))
	return p, server
}

// TestForward has a replica forward requests to another one, which answers before it has read them.
func TestForward(t *testing.T) {
	hub := fake.NewClientset()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "accord-system", Name: certificate.Secret}}
	authority, err := certificate.Ensure(t.Context(), clientfake.NewClientBuilder().WithObjects(secret).Build(), "accord-system", time.Now())
	require.NoError(t, err)
	status := http.StatusServiceUnavailable
	served(t, hub, authority, "leads", func(p *Peers) http.Handler {
		p.Publishes = func() bool { return true }
		own, authenticator := p.Handler(), p.Authenticator()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, Prefix) {
				own.ServeHTTP(w, r)
				return
			}
			as, known, err := authenticator.AuthenticateRequest(r)
			if err != nil || !known {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.WriteHeader(status)
			if status == http.StatusOK {
				_, _ = io.Copy(w, r.Body)
				_, _ = io.WriteString(w, as.User.GetName()+" "+strings.Join(as.User.GetGroups(), ","))
			}
		})
	})
	alice := &user.DefaultInfo{Name: "alice", Groups: []string{"dev", "ops"}}
	follower, entry := served(t, hub, authority, "follows", func(p *Peers) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !p.Forward(w, r, alice, nil) {
				w.WriteHeader(http.StatusTeapot)
			}
		})
	})
	send := func(c *http.Client, method, body string) (int, string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, method, entry.URL+"/bundles", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-Remote-User", "mallory")
		answer, err := c.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	client := entry.Client()
	client.Transport.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true
	for range 500 {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			code, _ := send(client, method, strings.Repeat("x", 300))
			require.Equal(t, http.StatusServiceUnavailable, code)
		}
	}
	status = http.StatusOK
	code, text := send(client, http.MethodPost, "body of ")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "body of alice dev,ops", text, "the leader sees the user whom this replica has authenticated")

	own, err := tls.X509KeyPair(follower.Own.CurrentCertKeyContent())
	require.NoError(t, err)
	from := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{own}}}}
	defer from.CloseIdleConnections()
	code, _ = send(from, http.MethodGet, "")
	require.Equal(t, http.StatusTeapot, code, "a request of a replica is forwarded again")
}
