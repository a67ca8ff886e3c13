package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
)

// body is a request's body that counts the bytes read from it.
type body struct {
	left, read int64
}

func (b *body) Read(p []byte) (int, error) {
	n := min(int64(len(p)), b.left)
	b.left, b.read = b.left-n, b.read+n
	if n == 0 {
		return 0, io.EOF
	}
	return int(n), nil
}

// TestHostileStrangers sends requests without a valid signature to a Federation, and to others that do not exist or accept no pushes.
// The answers, the number of bytes that are read and the time before the first of them are equal.
func TestHostileStrangers(t *testing.T) {
	type answered struct {
		status int
		header string
		text   string
		read   int64
		waited time.Duration
	}
	for name, c := range map[string]struct {
		size   int64
		header map[string]string
		status int
	}{
		"nothing signed":     {100, nil, 403},
		"another key":        {1 << 20, generic("another", "x"), 403},
		"another GitLab key": {100, gitlab("Push Hook", "another"), 403},
		"two forges":         {100, with(gitlab("Push Hook", "another"), "X-GitHub-Event", "push"), 403},
		"a body too large":   {maxBody + 1, generic("another", "x"), 413},
		"no body":            {0, nil, 403},
	} {
		t.Run(name, func(t *testing.T) {
			var all []answered
			for _, federation := range []string{"demo/prod", "demo/nothing", "demo/silent", "nowhere/prod"} {
				synctest.Test(t, func(t *testing.T) {
					h := handler{refusalTime: refusalTime, room: newRoom(maxRequests, maxBodies, nil), seen: lru.New(1), log: slog.New(slog.DiscardHandler)}
					began := time.Now()
					in := &body{left: c.size}
					var waited time.Duration
					h.hook = func(_ context.Context, namespace, name string) (hook, bool) {
						if namespace != "demo" || name != "prod" {
							return hook{}, false
						}
						return hook{key: func(context.Context) []byte {
							time.Sleep(7 * time.Millisecond) // the Secret is read
							return []byte(hookKey)
						}}, true
					}
					mux := http.NewServeMux()
					mux.Handle(pattern, h)
					r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hook/"+federation, readAt(in, func() {
						if waited == 0 {
							waited = time.Since(began)
						}
					}))
					r.ContentLength = -1
					for name, value := range c.header {
						r.Header.Set(name, value)
					}
					w := httptest.NewRecorder()
					mux.ServeHTTP(w, r)
					require.Zero(t, waited, "the Federation is in a cache")
					all = append(all, answered{w.Code, strings.Join(w.Header().Values("Content-Type"), ";"), w.Body.String(), in.read, time.Since(began)})
				})
			}
			require.Equal(t, c.status, all[0].status)
			for _, a := range all[1:] {
				require.Equal(t, all[0], a)
			}
		})
	}
}

// TestPushesDoNotWait checks that only a refusal waits: each push begins with this request.
func TestPushesDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handler{
			hook: func(context.Context, string, string) (hook, bool) {
				return hook{key: hasKey, sources: []v1alpha1.Source{{}}}, true
			},
			pushed:      func(context.Context, string, string) error { return nil },
			refusalTime: refusalTime, room: newRoom(maxRequests, maxBodies, nil), seen: lru.New(1), log: slog.New(slog.DiscardHandler),
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hook/demo/prod", strings.NewReader("x"))
		r.Header.Set("X-Signature", signature(hookKey, "x"))
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, r)
		require.Equal(t, http.StatusAccepted, w.Code)
		require.Zero(t, time.Since(began))
	})
}

// readAt calls a function before every read.
func readAt(from io.Reader, call func()) io.Reader { return &watched{from, call} }

type watched struct {
	from io.Reader
	call func()
}

func (w *watched) Read(p []byte) (int, error) { w.call(); return w.from.Read(p) }

// TestHostileBodies checks that a body that announces to be too large is not read at all, and that the body of a request to a Federation
// that does not exist is not kept.
func TestHostileBodies(t *testing.T) {
	h := handler{
		hook:   func(context.Context, string, string) (hook, bool) { return hook{}, false },
		pushed: func(context.Context, string, string) error { return nil },
		room:   newRoom(maxRequests, maxBodies, nil), seen: lru.New(1), log: slog.New(slog.DiscardHandler),
	}
	large := &body{left: maxBody + 1}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hook/demo/prod", large)
	r.ContentLength = maxBody + 1
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
	require.Zero(t, large.read)

	var kept []byte
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			kept, _ = read(&body{left: 1 << 20}, false)
		}
	})
	require.Empty(t, kept)
	require.Less(t, result.AllocedBytesPerOp(), int64(128<<10), "a body of 1 MiB is not kept")
}

// TestHostileSenders has three addresses hold all the requests and bytes that they get. A fourth one is served.
func TestHostileSenders(t *testing.T) {
	m := newRoom(maxRequests, maxBodies, nil)
	at := httptest.NewServer(handler{
		hook: func(context.Context, string, string) (hook, bool) {
			return hook{key: hasKey, sources: []v1alpha1.Source{{}}}, true
		},
		pushed: func(context.Context, string, string) error { return nil },
		room:   m, seen: lru.New(maxDeliveries), log: slog.New(slog.DiscardHandler),
	})
	defer at.Close()
	push := func(from string, size int) int {
		body := large(size)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-Signature", signature(hookKey, body))
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		answer, err := (&http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}).Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Equal(t, http.StatusAccepted, push("127.0.0.2", maxBody), "the largest body has room")

	senders := []string{"127.0.0.2", "127.0.0.3", "127.0.0.4"}
	for _, from := range senders {
		for (&boundedReader{from: strings.NewReader(large(64 << 10)), room: m.bytes, sender: from}).hold() {
		}
	}
	require.Equal(t, http.StatusTooManyRequests, push("127.0.0.2", 200<<10), "its body is beyond its share")
	require.Equal(t, http.StatusAccepted, push("127.0.0.5", 200<<10))
	for _, from := range senders {
		for m.requests.Take(1, from) {
		}
	}
	require.Equal(t, http.StatusTooManyRequests, push("127.0.0.2", 1))
	for range 20 {
		require.Equal(t, http.StatusAccepted, push("127.0.0.5", 1))
	}
	require.Equal(t, 3, m.requests.Holders(), "an address without requests is forgotten")
}

// hold reads everything and releases nothing, as a sender that stops. It reports whether there was room.
func (b *boundedReader) hold() bool {
	_, err := io.ReadAll(b)
	return err == nil
}

// TestHostileForwardedFor checks that only a proxy can name another sender, and only the one that it was asked by.
func TestHostileForwardedFor(t *testing.T) {
	proxies := egress.Networks{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		remote    string
		forwarded []string
		sender    string
	}{
		"nobody between":             {"198.51.100.1:1", nil, "198.51.100.1"},
		"who is no proxy":            {"198.51.100.1:1", []string{"203.0.113.9"}, "198.51.100.1"},
		"a proxy":                    {"10.1.2.3:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"two proxies":                {"10.1.2.3:1", []string{"203.0.113.9, 10.9.9.9"}, "203.0.113.9"},
		"an address that was added":  {"10.1.2.3:1", []string{"192.0.2.7, 203.0.113.9"}, "203.0.113.9"},
		"another header":             {"10.1.2.3:1", []string{"192.0.2.7", "203.0.113.9"}, "203.0.113.9"},
		"a proxy that says nothing":  {"10.1.2.3:1", nil, "10.1.2.3"},
		"a proxy and no address":     {"10.1.2.3:1", []string{"unknown"}, "10.1.2.3"},
		"only proxies":               {"10.1.2.3:1", []string{"10.4.5.6"}, "10.4.5.6"},
		"IPv6 is a network":          {"[2001:db8:1:2:3:4:5:6]:1", nil, "2001:db8:1:2::/64"},
		"another host of it":         {"[2001:db8:1:2:ffff::1]:1", nil, "2001:db8:1:2::/64"},
		"IPv4 in IPv6":               {"[::ffff:198.51.100.1]:1", nil, "198.51.100.1"},
		"a proxy of IPv6":            {"[fd00::1]:1", []string{"2001:db8:1:2::7"}, "2001:db8:1:2::/64"},
		"a link-local one with zone": {"[fe80::1%eth0]:1", nil, "fe80::/64"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.forwarded}}
			require.Equal(t, c.sender, newRoom(1, 1, proxies).sender(r))
		})
	}
}

// TestHostileSecretReads checks that requests of strangers read a Secret of the hub once in keyAge, also if it cannot be read.
func TestHostileSecretReads(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "hook"}, Data: map[string][]byte{"token": []byte(hookKey)}}
	synctest.Test(t, func(t *testing.T) {
		reads, away := 0, false
		hub := fake.NewClientBuilder().WithObjects(secret).WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				if reads++; away {
					return errors.New("the hub is away")
				}
				return c.Get(ctx, key, obj, opts...)
			},
		}).Build()
		k := newKeys(hub, slog.New(slog.DiscardHandler))
		fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}
		fed.Spec.WebhookSecretRef = &corev1.LocalObjectReference{Name: "hook"}
		for range 100 {
			require.Equal(t, hookKey, string(k.of(t.Context(), fed)))
		}
		require.Equal(t, 1, reads)

		away = true
		time.Sleep(keyAge)
		for range 100 {
			require.Empty(t, k.of(t.Context(), fed))
		}
		require.Equal(t, 2, reads)
		away = false
		time.Sleep(keyAge)
		require.Equal(t, hookKey, string(k.of(t.Context(), fed)))

		fed.Spec.WebhookSecretRef.Name = "missing"
		require.Empty(t, k.of(t.Context(), fed))
	})
}
