package clusters

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/breaker"
)

func TestProbe(t *testing.T) {
	facts, err := Probe(t.Context(), connect(t, plane.Config()))
	require.NoError(t, err)
	require.Regexp(t, `^v1\.\d+`, facts.Version)
	require.Zero(t, facts.NodesTotal)
	require.Equal(t, Connected, Reason(err))
}

func TestProbeOfNodes(t *testing.T) {
	for name, c := range map[string]struct {
		nodes string
		code  int
		want  Facts
	}{
		"one of two is ready": {`{"kind":"NodeList","apiVersion":"v1","items":[
			{"metadata":{"name":"a"},"status":{"conditions":[{"type":"Ready","status":"True"}]}},{"metadata":{"name":"b"}}]}`,
			http.StatusOK, Facts{Version: "v1.34.1", NodesTotal: 2, NodesReady: 1}},
		"listing them is forbidden": {`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`,
			http.StatusForbidden, Facts{Version: "v1.34.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/version" {
					_, _ = w.Write([]byte(`{"gitVersion":"v1.34.1"}`))
					return
				}
				w.WriteHeader(c.code)
				_, _ = w.Write([]byte(c.nodes))
			}))
			facts, err := Probe(t.Context(), m)
			require.NoError(t, err)
			require.Equal(t, c.want, facts)
		})
	}
}

// served is an API server that answers as f does.
func served(t testing.TB, f http.HandlerFunc) *rest.Config {
	s := httptest.NewTLSServer(f)
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
}

func TestProbeSaysWhyNot(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, free.Close())
	for reason, c := range map[string]struct {
		cfg  *rest.Config
		says string
	}{
		ConnectionRefused: {&rest.Config{Host: "https://" + free.Addr().String()}, "nothing listens"},
		NameNotResolved:   {&rest.Config{Host: "https://no.such.host.invalid"}, "host name"},
		TLSFailed:         {func() *rest.Config { c := rest.CopyConfig(plane.Config()); c.CAData = nil; return c }(), "not trusted"},
		AuthFailed:        {&rest.Config{Host: plane.Config().Host, BearerToken: "wrong", TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, "does not accept the credentials"},
		Timeout:           {served(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "did not answer in time"},
		Unavailable:       {served(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "etcd", http.StatusServiceUnavailable) }), "responds that it is unavailable"},
		Forbidden:         {served(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }), "denies access"},
	} {
		t.Run(reason, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := Probe(ctx, connect(t, c.cfg))
			require.Equal(t, reason, Reason(err), "%v", err)
			require.ErrorContains(t, err, "cluster member: ")
			require.ErrorContains(t, err, c.says)
		})
	}
}

// TestPingOfAServerThatIsNotReady: a member that answers and is not ready fails the probe, and the error names the failed checks.
func TestPingOfAServerThatIsNotReady(t *testing.T) {
	answer := func(path string, code int, body string) *Member {
		return connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case path:
				w.WriteHeader(code)
				_, _ = w.Write([]byte(body))
			case "/version":
				_, _ = w.Write([]byte(`{"gitVersion":"v1.34.1"}`))
			default:
				w.WriteHeader(http.StatusNotFound)
			}
		}))
	}
	err := Ping(t.Context(), answer("/readyz", http.StatusInternalServerError, "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n"))
	require.EqualError(t, err, "cluster member: its API server responds that it is unavailable: asking whether it is ready: failed checks: etcd")
	require.Equal(t, Unavailable, Reason(err))

	require.NoError(t, Ping(t.Context(), answer("/readyz", http.StatusOK, "ok")))
	require.NoError(t, Ping(t.Context(), answer("/healthz", http.StatusOK, "ok")))
	require.NoError(t, Ping(t.Context(), answer("/readyz", http.StatusForbidden, "no")), "the version suffices")
	require.Equal(t, Unavailable, Reason(Ping(t.Context(), answer("/healthz", http.StatusServiceUnavailable, "no"))))
}

// A request that the breaker refuses fails for the reason that opened it.
func TestReasonBehindABreaker(t *testing.T) {
	for reason, cause := range map[string]error{
		ConnectionRefused: syscall.ECONNREFUSED, Timeout: context.DeadlineExceeded,
		AuthFailed: apierrors.NewUnauthorized(""), Unavailable: apierrors.NewInternalError(errors.New("etcd is gone")),
	} {
		require.Equal(t, reason, Reason(&breaker.OpenError{Status: breaker.Status{Cause: cause}}))
	}
}
