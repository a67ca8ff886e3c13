package source_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source"
)

func certificate(w *webServer) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.Certificate().Raw})
}

func TestHTTPCredentials(t *testing.T) {
	up := newUpstream(t)
	first := up.commit("first", "a", "1")
	server := serveHTTP(t, up, true)
	server.allow = func(r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		return user == "ada" && password == "s3cr3t" || r.Header.Get("Authorization") == "Bearer t0k3n" ||
			user == "git" && password == "pat-1"
	}
	c := newCache(t)
	withUser := strings.Replace(server.url(), "https://", "https://ada:s3cr3t@", 1)

	for _, test := range []struct {
		name string
		url  string
		auth source.Auth
		kind error
	}{
		{name: "basic", auth: source.Auth{Username: "ada", Password: "s3cr3t"}},
		{name: "basic, line end in the Secret", auth: source.Auth{Username: "ada", Password: "s3cr3t\n"}},
		{name: "token as password", auth: source.Auth{Password: "pat-1"}},
		{name: "bearer", auth: source.Auth{BearerToken: "t0k3n\n"}},
		{name: "in the URL", url: withUser},
		{name: "none", kind: source.ErrAuth},
		{name: "wrong password", auth: source.Auth{Username: "ada", Password: "t0ps3cr3t"}, kind: source.ErrAuth},
		{name: "wrong token", auth: source.Auth{BearerToken: "t0ps3cr3t"}, kind: source.ErrAuth},
		{name: "auth before URL", url: withUser, auth: source.Auth{Username: "ada", Password: "t0ps3cr3t"}, kind: source.ErrAuth},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.auth.CA = certificate(server)
			o := source.Options{Insecure: true, URL: server.url(), Auth: &test.auth}
			if test.url != "" {
				o.URL = test.url
			}
			s, err := c.Fetch(context.Background(), o) // one cache: what others may see is no way in
			if test.kind == nil {
				require.NoError(t, err)
				require.Equal(t, first, s.Commit)
				return
			}
			require.ErrorIs(t, err, test.kind)
			require.Empty(t, s)
			require.Contains(t, err.Error(), "fetch "+server.url())
			for _, secret := range []string{"s3cr3t", "t0ps3cr3t", base64.StdEncoding.EncodeToString([]byte("ada:t0ps3cr3t"))} {
				require.NotContains(t, err.Error(), secret)
			}
		})
	}
	require.EqualValues(t, 1, server.packs.Load(), "downloads for all of them")
}

func TestHTTPUnreachable(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	server := serveHTTP(t, up, true)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	answer := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		return s.URL + "/x.git"
	}
	for _, test := range []struct {
		name, url string
		kind      error
	}{
		{"closed port", "http://" + closed.Addr().String() + "/x.git", source.ErrUnreachable},
		{"closed port, ssh", "ssh://" + closed.Addr().String() + "/x.git", source.ErrUnreachable},
		{"no such host", "https://nowhere.invalid/x.git", source.ErrUnreachable},
		{"unknown CA", server.url(), source.ErrUnreachable},
		{"server in trouble", answer(503, "try later"), source.ErrUnreachable},
		{"too many requests", answer(429, "slow down"), source.ErrUnreachable},
		{"forbidden", answer(403, "no"), source.ErrAuth},
		{"not found", answer(404, "no"), source.ErrNotRepository},
		{"gone", answer(410, "no"), source.ErrNotRepository},
		{"a web page", answer(200, "<html>hello</html>"), source.ErrNotRepository},
		{"an empty page", answer(200, ""), source.ErrNotRepository},
		{"an error in Git's form", answer(200, "0010ERR be gone\n"), source.ErrNotRepository},
		{"a denial in Git's form", answer(200, "0016ERR access denied\n"), source.ErrAuth},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := source.Options{Insecure: true, URL: test.url}
			if strings.HasPrefix(test.url, "ssh") {
				o.Auth = (&sshServer{t: t, addr: closed.Addr().String()}).someAuth()
			}
			_, err := newCache(t).Fetch(context.Background(), o)
			require.ErrorIs(t, err, test.kind)
			require.Contains(t, err.Error(), test.url)
		})
	}
}

// someAuth is well-formed, for a server that is not reached.
func (s *sshServer) someAuth() *source.Auth {
	s.client, s.host = newKey(s.t)
	return s.auth()
}

func TestSilence(t *testing.T) {
	hole, err := net.Listen("tcp", "127.0.0.1:0") // connections are made, and that is all
	require.NoError(t, err)
	defer hole.Close()
	for _, scheme := range []string{"http", "https", "ssh"} {
		o := source.Options{Insecure: true, URL: scheme + "://" + hole.Addr().String() + "/x.git", Auth: (&sshServer{t: t, addr: hole.Addr().String()}).someAuth()}

		t.Run(scheme+" ends with the timeout", func(t *testing.T) {
			o.Timeout = 50 * time.Millisecond
			_, err := newCache(t).Fetch(context.Background(), o)
			require.ErrorIs(t, err, source.ErrUnreachable)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Contains(t, err.Error(), "no complete answer within 50ms")
		})
		t.Run(scheme+" ends with the caller", func(t *testing.T) {
			o.Timeout = time.Minute
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
			_, err := newCache(t).Fetch(ctx, o)
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, source.ErrUnreachable)
		})
	}
}

func TestSilenceInTheMiddleOfADownload(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	git := serveHTTP(t, up, false)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/info/refs") {
			git.Config.Handler.ServeHTTP(w, r)
			return
		}
		_, _ = w.Write([]byte("0008NAK\n"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	c := newCache(t)
	o := source.Options{Insecure: true, URL: server.URL + "/up/.git", Timeout: 200 * time.Millisecond}
	_, err := c.Fetch(context.Background(), o)
	require.ErrorIs(t, err, source.ErrUnreachable)
}

func TestDownloadThatBreaksOff(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1", "b", "2", "c", "3")
	git := serveHTTP(t, up, false)
	missing := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		git.Config.Handler.ServeHTTP(answer, r)
		if strings.HasSuffix(r.URL.Path, "/info/refs") {
			_, _ = w.Write(answer.Body.Bytes())
			return
		}
		_, _ = w.Write(answer.Body.Bytes()[:max(0, answer.Body.Len()-missing)])
	}))
	defer server.Close()
	up.git("tag", "base")
	up.commit("second", "a", "changed")
	o := source.Options{Insecure: true, URL: server.URL + "/up/.git"}
	for _, onTop := range []bool{false, true} {
		for _, missing = range []int{1, 12, 30, 60, 100, 150} {
			n := missing
			c := newCache(t)
			if onTop {
				missing = 0
				fetch(t, c, at(o, source.Ref{Tag: "base"}))
				missing = n
			}
			s, err := c.Fetch(context.Background(), o)
			if n < 60 && err == nil { // only the end of the protocol, and all objects
				require.Equal(t, "changed", read(t, s, "a"))
			} else {
				require.ErrorIs(t, err, source.ErrUnreachable, "%d bytes missing", n)
			}
			missing = 0
			require.Equal(t, "changed", read(t, fetch(t, c, o), "a"))
		}
	}
}

func TestDownloadIsBounded(t *testing.T) {
	up := newUpstream(t)
	noise := make([]byte, 100_000)
	_, err := rand.Read(noise)
	require.NoError(t, err)
	up.commit("first", "noise", string(noise))
	server := serveHTTP(t, up, false)
	_, err = newCache(t).Fetch(context.Background(), source.Options{Insecure: true, URL: server.url(), MaxTreeSize: 1000})
	require.ErrorIs(t, err, source.ErrTooLarge)
	require.Contains(t, err.Error(), "the download exceeds eight times the limit")
}

func TestConcurrentFetchesDownloadOnce(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	up.git("branch", "other")
	up.commit("second", "a", "2")
	server := serveHTTP(t, up, false)
	dir := t.TempDir()
	caches := []*source.Cache{openGit(t, dir), openGit(t, dir)} // as two processes have them
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ref, want := source.Ref{Branch: "main"}, "2"
			if i%2 == 0 {
				ref, want = source.Ref{Branch: "other"}, "1"
			}
			s, err := caches[i/4].Fetch(context.Background(), source.Options{Insecure: true, URL: server.url(), Ref: ref})
			if err != nil || read(t, s, "a") != want {
				t.Errorf("%v: %v", ref, err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 8, server.asked.Load())
	require.EqualValues(t, 2, server.packs.Load(), "one download for each commit")
}

// TestOfflineReadsTheClone: a commit that was fetched before is readable while the server is not, also by the next process.
func TestOfflineReadsTheClone(t *testing.T) {
	up := newUpstream(t)
	first := up.commit("first", "a", "1")
	server := serveHTTP(t, up, false)
	dir, ctx := t.TempDir(), context.Background()
	_, err := openGit(t, dir).Fetch(ctx, source.Options{Insecure: true, URL: server.url(), Ref: source.Ref{Branch: "main"}})
	require.NoError(t, err)
	second := up.commit("second", "a", "2")
	asked := server.asked.Load()

	next := openGit(t, dir)
	s, err := next.Fetch(ctx, source.Options{Insecure: true, URL: server.url(), Ref: source.Ref{Commit: first}, Offline: true})
	require.NoError(t, err)
	require.Equal(t, "1", read(t, s, "a"))
	_, err = next.Fetch(ctx, source.Options{Insecure: true, URL: server.url(), Ref: source.Ref{Commit: second}, Offline: true})
	require.ErrorIs(t, err, source.ErrRefNotFound)
	_, err = next.Fetch(ctx, source.Options{Insecure: true, URL: server.url(), Ref: source.Ref{Branch: "main"}, Offline: true})
	require.ErrorIs(t, err, source.ErrInvalid)
	require.Equal(t, asked, server.asked.Load(), "no server is asked")
}
