package tunnel_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/tunnel"
)

// hub accepts tunnels.
func hub(t *testing.T) (cfg *rest.Config, accepted <-chan *tunnel.Tunnel) {
	all := make(chan *tunnel.Tunnel, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis/delivery.accord.dev/v1alpha1/bundles/eu/attach" || r.Header.Get("Authorization") != "Bearer agent" {
			http.Error(w, "wrong", http.StatusForbidden)
			return
		}
		opened, err := tunnel.Accept(w, r)
		if err != nil {
			return
		}
		all <- opened
		<-opened.Ended()
	}))
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL, BearerToken: "agent"}, all
}

// keep runs the agent's end of a tunnel to handler.
func keep(t *testing.T, cfg *rest.Config, handler http.Handler) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { tunnel.Keep(ctx, cfg, "eu", handler, slog.New(slog.NewTextHandler(t.Output(), nil))) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

func next(t *testing.T, accepted <-chan *tunnel.Tunnel) *tunnel.Tunnel {
	t.Helper()
	select {
	case opened := <-accepted:
		t.Cleanup(opened.Close)
		return opened
	case <-time.After(time.Minute):
		require.Fail(t, "no tunnel")
		return nil
	}
}

func ended(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		require.Fail(t, what+" does not end")
	}
}

func TestRequestsPassTheTunnel(t *testing.T) {
	cfg, accepted := hub(t)
	watchEnded := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Seen", r.Method+" "+r.Host)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.Copy(w, r.Body)
	})
	mux.HandleFunc("/watch", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "first")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(watchEnded)
	})
	mux.HandleFunc("/hang", func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		<-t.Context().Done()
	})
	mux.HandleFunc("/upgrade", func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", r.Header.Get("Upgrade"))
		line, _ := rw.ReadString('\n')
		fmt.Fprint(conn, strings.ToUpper(line))
	})
	stop := keep(t, cfg, mux)
	opened := next(t, accepted)
	do := func(ctx context.Context, method, path, body string, headers ...string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, method, "http://anything"+path, strings.NewReader(body))
		require.NoError(t, err)
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		resp, err := opened.RoundTrip(r)
		require.NoError(t, err)
		return resp
	}

	t.Run("many at once, with large bodies", func(t *testing.T) {
		body := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				resp := do(t.Context(), http.MethodPatch, "/echo", body)
				defer resp.Body.Close()
				got, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != http.StatusTeapot || string(got) != body || resp.Header.Get("Seen") != "PATCH anything" {
					t.Errorf("%v %d, %d bytes, %s", err, resp.StatusCode, len(got), resp.Header.Get("Seen"))
				}
			})
		}
		all.Wait()
	})
	t.Run("a watch arrives event by event, and ends with its caller", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		resp := do(ctx, http.MethodGet, "/watch", "")
		defer resp.Body.Close()
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "first\n", line)
		cancel()
		ended(t, watchEnded, "the request at the agent")
	})
	for _, protocol := range []string{"SPDY/3.1", "websocket"} {
		t.Run("an upgrade to "+protocol, func(t *testing.T) {
			resp := do(t.Context(), http.MethodPost, "/upgrade", "", "Connection: Upgrade", "Upgrade: "+protocol)
			defer resp.Body.Close()
			require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
			rw := resp.Body.(io.ReadWriteCloser)
			_, err := fmt.Fprintln(rw, "hello")
			require.NoError(t, err)
			got, err := io.ReadAll(rw)
			require.NoError(t, err)
			require.Equal(t, "HELLO\n", string(got))
		})
	}
	t.Run("an agent that stops ends the tunnel and the requests through it", func(t *testing.T) {
		resp := do(t.Context(), http.MethodGet, "/hang", "")
		defer resp.Body.Close()
		stop()
		ended(t, opened.Ended(), "the tunnel")
		over := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, resp.Body)
			close(over)
		}()
		ended(t, over, "the request at the hub")
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://anything/echo", nil)
		resp, err := opened.RoundTrip(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		require.Error(t, err)
	})
}

func TestAgentOpensTheTunnelAgain(t *testing.T) {
	cfg, accepted := hub(t)
	keep(t, cfg, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") }))
	first := next(t, accepted)
	first.Close()
	ended(t, first.Ended(), "the first tunnel")
	second := next(t, accepted)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://anything/", nil)
	require.NoError(t, err)
	resp, err := second.RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "here", string(text))
}
