package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/proxy"
)

// server is an API server that lets accord act for alice and bob, and for the groups dev and system:masters.
type server struct {
	*httptest.Server
	seen *http.Request // the last request that was no review
}

func newServer(t *testing.T, answer http.HandlerFunc) *server {
	s := &server{}
	mayTakeOn := []string{"users/alice", "users/bob", "users/system:serviceaccount:demo:alice", "groups/dev", "groups/system:masters"}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
			var review authorizationv1.SelfSubjectAccessReview
			if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			a := review.Spec.ResourceAttributes
			review.Status.Allowed = a.Verb == "impersonate" && slices.Contains(mayTakeOn, a.Resource+"/"+a.Name)
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(review)
			return
		}
		s.seen = r
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) member(t *testing.T, path string) *proxy.Member {
	m, err := proxy.New(&rest.Config{Host: s.URL + path, BearerToken: "of accord", ContentConfig: rest.ContentConfig{ContentType: "application/json"}}, "eu")
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return m
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

// request returns a request with everything by which its sender could prove or claim an identity.
func request(target string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader("body"))
	for _, h := range []string{
		"Authorization: Bearer of the caller", "Proxy-Authorization: Basic x", "Cookie: session=1", "Impersonate-User: admin", "Impersonate-Group: system:masters",
		"Impersonate-Uid: 1", "Impersonate-Extra-Scopes: all", "X-Remote-User: admin", "X-Remote-Group: system:masters", "X-Remote-Extra-A: b",
		"X-Forwarded-User: admin", "X-Forwarded-For: 1.2.3.4", "Forwarded: for=1.2.3.4",
		"Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.c2VjcmV0, v5.channel.k8s.io",
		"Accept: application/json", "Content-Type: application/yaml",
	} {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return r
}

func forward(m *proxy.Member, r *http.Request, c proxy.Caller) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	m.Forward(w, r, c)
	return w
}

func TestForwardDropsTheIdentityOfTheCaller(t *testing.T) {
	s := newServer(t, hello)
	c := proxy.Caller{User: "alice", Groups: []string{"dev", "ops", "system:masters", "system:authenticated"}}
	check := func(t *testing.T, w *httptest.ResponseRecorder) {
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.Equal(t, "hello", w.Body.String())
		h := s.seen.Header
		require.Equal(t, []string{"Bearer of accord"}, h.Values("Authorization"))
		require.Equal(t, []string{"alice"}, h.Values("Impersonate-User"))
		require.Equal(t, []string{"dev"}, h.Values("Impersonate-Group"), "only a group that accord may take on, and none of Kubernetes itself")
		require.Equal(t, []string{"v5.channel.k8s.io"}, h.Values("Sec-WebSocket-Protocol"))
		for _, absent := range []string{
			"Proxy-Authorization", "Cookie", "Impersonate-Uid", "Impersonate-Extra-Scopes", "X-Remote-User", "X-Remote-Group", "X-Remote-Extra-A",
			"X-Forwarded-User", "X-Forwarded-For", "Forwarded",
		} {
			require.Empty(t, h.Values(absent), absent)
		}
		require.Equal(t, "application/json", h.Get("Accept"))
		require.Equal(t, "application/yaml", h.Get("Content-Type"))
		require.Equal(t, "/api/v1/namespaces/a/pods?limit=1&x=%2F", s.seen.URL.RequestURI())
	}
	const target = "/api/v1/namespaces/a/pods?limit=1&x=%2F"
	t.Run("directly", func(t *testing.T) { check(t, forward(s.member(t, ""), request(target), c)) })
	t.Run("through an agent", func(t *testing.T) {
		agent := httptest.NewServer(s.member(t, "").FromHub())
		defer agent.Close()
		at, err := url.Parse(agent.URL)
		require.NoError(t, err)
		w := httptest.NewRecorder()
		proxy.Through(w, request(target), "eu", toHost{at.Host}, c)
		check(t, w)
	})
}

// toHost sends each request to one host.
type toHost struct{ host string }

func (h toHost) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = h.host
	return http.DefaultTransport.RoundTrip(r)
}

func TestForwardRefusesCallers(t *testing.T) {
	s := newServer(t, hello)
	for user, want := range map[string]string{
		"carol":                            "may not act for user \\\"carol\\\"",
		"system:serviceaccount:demo:alice": "an identity of the hub only",
		"system:kube-controller-manager":   "an identity of the hub only",
		"system:anonymous":                 "an identity of the hub only",
		"":                                 "an identity of the hub only",
	} {
		w := forward(s.member(t, ""), request("/api"), proxy.Caller{User: user, Groups: []string{"dev"}})
		require.Equal(t, http.StatusForbidden, w.Code, user)
		require.Contains(t, w.Body.String(), want)
		require.Nil(t, s.seen, "the request reached the cluster as %q", user)
	}
}

func TestForwardStaysOnTheCluster(t *testing.T) {
	s := newServer(t, hello)
	m := s.member(t, "/k8s/clusters/eu")
	for _, path := range []string{
		"/..", "/../us/api", "/api/../../us", "/%2e%2e/us/api", "/api/..%2f..%2fus", "//other.example/api", "/api//v1", "/./api", "/a\\..\\b", "/api/v1/..",
	} {
		r := request("/")
		u, err := url.Parse("http://hub" + path)
		require.NoError(t, err)
		r.URL = &url.URL{Path: u.Path, RawPath: u.RawPath}
		w := forward(m, r, proxy.Caller{User: "alice"})
		require.Equal(t, http.StatusBadRequest, w.Code, path)
		require.Nil(t, s.seen, path)
		w = httptest.NewRecorder()
		proxy.Through(w, r, "eu", toHost{strings.TrimPrefix(s.URL, "http://")}, proxy.Caller{User: "alice"})
		require.Equal(t, http.StatusBadRequest, w.Code, path)
		require.Nil(t, s.seen, path)
	}
	for path, want := range map[string]string{
		"/": "/k8s/clusters/eu/", "/api/v1/": "/k8s/clusters/eu/api/v1/", "/api/v1/pods/a%2Fb": "/k8s/clusters/eu/api/v1/pods/a%2Fb",
		"/apis/x/y%252e%252e": "/k8s/clusters/eu/apis/x/y%252e%252e",
	} {
		require.Equal(t, http.StatusOK, forward(m, request(path), proxy.Caller{User: "alice"}).Code, path)
		require.Equal(t, want, s.seen.URL.EscapedPath())
		require.True(t, strings.HasPrefix("http://"+s.seen.Host, s.URL), s.seen.Host)
	}
}

func TestForwardHidesAnswersAboutAccord(t *testing.T) {
	for name, x := range map[string]struct {
		answer http.HandlerFunc
		code   int
		want   string
	}{
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://other.example/", http.StatusFound)
		}, http.StatusBadGateway, "redirects"},
		"wrong credentials":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, http.StatusBadGateway, "refuses the credentials of accord"},
		"an answer from a cache": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, http.StatusNotModified, ""},
		"a refusal of RBAC":      {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }, http.StatusForbidden, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			w := forward(newServer(t, x.answer).member(t, ""), request("/api"), proxy.Caller{User: "bob"})
			require.Equal(t, x.code, w.Code)
			require.Contains(t, w.Body.String(), x.want)
			require.Empty(t, w.Header().Get("Location"))
		})
	}
	t.Run("no server", func(t *testing.T) {
		s := newServer(t, hello)
		m := s.member(t, "")
		s.Close()
		w := forward(m, request("/api"), proxy.Caller{User: "bob"})
		require.Equal(t, http.StatusBadGateway, w.Code)
		text, err := io.ReadAll(w.Body)
		require.NoError(t, err)
		require.Contains(t, string(text), `cluster \"eu\" does not answer`)
	})
}
