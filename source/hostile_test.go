package source_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/source"
)

// plumb makes a commit of a listing as git ls-tree prints it, which git itself would not make of files, and moves main
// there.
func (u *upstream) plumb(listing string) {
	u.t.Helper()
	u.write("listing", listing)
	made := u.git("-c", "alias.make=!git mktree --missing <listing", "make")
	u.git("update-ref", "refs/heads/main", u.git("commit-tree", "-m", "made", made))
}

// lost returns the path of an object.
func (u *upstream) lost(hash string) string {
	return filepath.Join(u.dir, ".git", "objects", hash[:2], hash[2:])
}

func TestHostileRepositories(t *testing.T) {
	const missing = "4b825dc642cb6eb9a060e54bf8d69288fbee4905"
	for _, c := range []struct {
		name string
		make func(t *testing.T, up *upstream)
		kind error // nil: none of ours
		says string
	}{
		{"a name longer than a disk takes", func(_ *testing.T, up *upstream) {
			up.plumb("100644 blob " + up.git("rev-parse", "HEAD:a") + "\t" + strings.Repeat("n", 300) + "\n")
		}, source.ErrTooLarge, "a name has 300 bytes, the limit is 255"},
		{"directories in directories", func(_ *testing.T, up *upstream) {
			for range 300 {
				tree := up.git("rev-parse", "main^{tree}")
				up.plumb("040000 tree " + tree + "\td\n")
			}
		}, source.ErrTooLarge, "directories are nested more than 256 deep"},
		{"a file whose content is missing", func(_ *testing.T, up *upstream) {
			up.plumb("100644 blob " + missing + "\ta\n")
		}, nil, "the object store is damaged"},
		{"a directory that is missing", func(_ *testing.T, up *upstream) {
			up.plumb("040000 tree " + missing + "\ta\n")
		}, nil, "the object store is damaged"},
		{"a directory that is a file", func(_ *testing.T, up *upstream) {
			blob := up.git("rev-parse", "HEAD:a")
			listing := filepath.Join(up.dir, "raw")
			require.NoError(up.t, os.WriteFile(listing, append([]byte("40000 a\x00"), bytesOfHex(up.t, blob)...), 0o600))
			made := up.git("hash-object", "-t", "tree", "-w", "--literally", listing)
			up.git("update-ref", "refs/heads/main", up.git("commit-tree", "-m", "made", made))
		}, nil, "object is of another type"},
		{"an object that is broken", func(t *testing.T, up *upstream) {
			name := up.lost(up.git("rev-parse", "HEAD:a"))
			require.NoError(t, os.Chmod(name, 0o600))
			require.NoError(t, os.WriteFile(name, []byte("nothing that zlib wrote"), 0o600))
		}, nil, "the object store is damaged"},
		{"an object that is another", func(t *testing.T, up *upstream) {
			up.commit("other", "b", "2")
			name, other := up.lost(up.git("rev-parse", "HEAD:a")), up.lost(up.git("rev-parse", "HEAD:b"))
			content, err := os.ReadFile(other)
			require.NoError(t, err)
			require.NoError(t, os.Chmod(name, 0o600))
			require.NoError(t, os.WriteFile(name, content, 0o600))
		}, nil, "the object store is damaged"},
		{"a branch at a commit that is missing", func(t *testing.T, up *upstream) {
			require.NoError(t, os.WriteFile(filepath.Join(up.dir, ".git", "refs", "heads", "main"), []byte(missing+"\n"), 0o600))
		}, source.ErrRefNotFound, "not found"},
		{"a branch that is no commit", func(t *testing.T, up *upstream) {
			blob := up.git("rev-parse", "HEAD:a")
			require.NoError(t, os.WriteFile(filepath.Join(up.dir, ".git", "refs", "heads", "main"), []byte(blob+"\n"), 0o600))
		}, source.ErrRefNotFound, "is not a commit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newUpstream(t)
			up.commit("first", "a", "1")
			c.make(t, up)
			cache := newCache(t)
			_, err := cache.Fetch(context.Background(), source.Options{URL: up.dir})
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "fetch "+up.dir)
			require.Less(t, len(err.Error()), 1000)
			if c.kind != nil {
				require.ErrorIs(t, err, c.kind)
			}

			other := newUpstream(t)
			other.commit("first", "a", "good")
			require.Equal(t, "good", read(t, fetch(t, cache, source.Options{URL: other.dir}), "a"), "the next source is read")
		})
	}
}

func bytesOfHex(t testing.TB, text string) []byte {
	t.Helper()
	var b []byte
	for i := 0; i+1 < len(text); i += 2 {
		var n byte
		_, err := fmt.Sscanf(text[i:i+2], "%02x", &n)
		require.NoError(t, err)
		b = append(b, n)
	}
	return b
}

// TestLargeFiles: a file of 50 MB is listed and not read, and what is beside it is.
func TestLargeFiles(t *testing.T) {
	up := newUpstream(t)
	up.write("small.yaml", "1")
	film, err := os.Create(filepath.Join(up.dir, "film.yaml"))
	require.NoError(t, err)
	require.NoError(t, film.Truncate(50<<20))
	require.NoError(t, film.Close())
	up.commit("large")
	s := fetch(t, newCache(t), source.Options{URL: up.dir})
	require.Equal(t, "1", read(t, s, "small.yaml"))
	_, err = fs.ReadFile(s.FS, "film.yaml")
	require.ErrorIs(t, err, source.ErrTooLarge)
	require.EqualError(t, err, "read film.yaml: too large: the file has 50.0 MiB, the limit is 8.0 MiB")
}

// TestInflatedFiles: what is small on the wire and huge when it is unpacked is not unpacked into memory.
func TestInflatedFiles(t *testing.T) {
	up := newUpstream(t)
	zeros, err := os.Create(filepath.Join(up.dir, "zeros"))
	require.NoError(t, err)
	require.NoError(t, zeros.Truncate(400<<20))
	require.NoError(t, zeros.Close())
	up.write("a", "1")
	up.commit("zeros")
	server := serveHTTP(t, up, false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := newCache(t).Fetch(context.Background(), source.Options{Insecure: true, URL: server.url(), Timeout: 5 * time.Minute})
	runtime.ReadMemStats(&after)
	t.Logf("%d MiB allocated, %d bytes sent", (after.TotalAlloc-before.TotalAlloc)>>20, server.sent.Load())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
	if err == nil {
		require.Equal(t, "1", read(t, s, "a"))
		return
	}
	require.ErrorIs(t, err, source.ErrTooLarge)
}

// The metadata of a commit is untrusted text that reaches objects of the hub.
func TestHostileCommits(t *testing.T) {
	up := newUpstream(t)
	up.write("a", "1")
	up.git("add", "-A")
	message := "red \x1b[31m" + strings.Repeat("long ", 100_000) + "\n\nAccord-Prune: allow\n"
	require.NoError(t, os.WriteFile(filepath.Join(up.dir, ".git", "message"), []byte(message), 0o600))
	up.git("commit", "-q", "--author", strings.Repeat("A", 5000)+" <a@example.org>", "-F", ".git/message")
	s := fetch(t, newCache(t), source.Options{URL: up.dir})
	require.Less(t, len(s.Subject), 500)
	require.Less(t, len(s.Author), 500)
	require.True(t, strings.HasPrefix(s.Subject, `red \u001b[31mlong long`), "%q", s.Subject)
	require.Contains(t, s.Message, "Accord-Prune: allow")
}

// An error quotes the response of a server, bounded and without control characters.
func TestHostileAnswers(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	_, err := newCache(t).Fetch(context.Background(), source.Options{URL: up.dir, Ref: source.Ref{Branch: "no\x1b[31mthing"}})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\x1b")
	require.False(t, errors.Is(err, source.ErrUnreachable))
}

// BenchmarkManyFiles measures a repository of 100,000 objects, one in each file; see docs/concepts/security.md.
func BenchmarkManyFiles(b *testing.B) {
	up := newUpstream(b)
	for i := range 100_000 {
		up.write(fmt.Sprintf("d%d/%d.yaml", i/1000, i), fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: shop\n  name: c%d\ndata:\n  key: value\n", i))
	}
	up.commit("many")
	for b.Loop() {
		fetch(b, openGit(b, b.TempDir()), source.Options{URL: up.dir, Timeout: 10 * time.Minute})
	}
}

// TestHostileGitAnswers: a Git server uses no memory with a compressed error, refs without an end, or the part before a pack.
func TestHostileGitAnswers(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	_, err := w.Write(make([]byte, 258<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	endless := func(w io.Writer, first, line string) {
		_, _ = io.WriteString(w, first)
		for lines := strings.Repeat(line, 1000); ; {
			if _, err := io.WriteString(w, lines); err != nil {
				return
			}
		}
	}
	packet := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	up := newUpstream(t)
	up.commit("first", "a", "1")
	git := serveHTTP(t, up, false)
	const commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4905"
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		kind   error
	}{
		{"a compressed error", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write(bomb.Bytes())
		}, source.ErrUnreachable},
		{"a long error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			endless(w, "", "planted-text")
		}, source.ErrAuth},
		{"compressed refs", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}, source.ErrUnreachable},
		{"refs without an end", func(w http.ResponseWriter, _ *http.Request) {
			endless(w, packet("# service=git-upload-pack\n")+"0000"+packet(commit+" refs/heads/main\x00ofs-delta\n"), packet(commit+" refs/heads/main\n"))
		}, source.ErrTooLarge},
		{"history without an end", func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				git.Config.Handler.ServeHTTP(w, r)
				return
			}
			endless(w, "", packet("shallow "+commit))
		}, source.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.answer)
			t.Cleanup(server.Close)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := newCache(t).Fetch(t.Context(), source.Options{Insecure: true, URL: server.URL + "/up/.git"})
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, err, c.kind)
			require.NotContains(t, err.Error(), "planted-text")
			require.Less(t, after.Sys-before.Sys, uint64(200<<20))
		})
	}
}

// TestHostileGitRedirects: credentials go to no other server.
func TestHostileGitRedirects(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.String(), http.StatusFound)
	}))
	t.Cleanup(first.Close)
	for _, auth := range []*source.Auth{nil, {Password: "the-token"}} {
		_, err := newCache(t).Fetch(t.Context(), source.Options{Insecure: true, URL: first.URL + "/x.git", Auth: auth})
		require.ErrorIs(t, err, source.ErrUnreachable)
		require.ErrorContains(t, err, "redirects to another server")
	}
	require.Zero(t, asked)
}

// TestHostileURLs: the zero policy reads no path, no server on loopback, and nothing without encryption.
func TestHostileURLs(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	server := serveHTTP(t, up, false)
	strict, err := source.OpenGit(t.TempDir(), source.Policy{})
	require.NoError(t, err)
	for url, says := range map[string]string{
		up.dir:               "run the controllers with --allow-local-sources",
		"file://" + up.dir:   "run the controllers with --allow-local-sources",
		server.url():         "http:// is not encrypted",
		"HTTP://example.org": "http:// is not encrypted",
	} {
		_, err := strict.Fetch(t.Context(), source.Options{URL: url})
		require.ErrorIs(t, err, source.ErrInvalid, url)
		require.ErrorContains(t, err, says, url)
	}
	for _, url := range []string{server.url(), "https://localhost:1/x.git", "ssh://git@127.0.0.1:1/x.git", "https://169.254.169.254/x.git", "https://[::1]:1/x.git"} {
		_, err := strict.Fetch(t.Context(), source.Options{URL: url, Insecure: true, Auth: (&sshServer{t: t, addr: "127.0.0.1:1"}).someAuth()})
		require.ErrorIs(t, err, source.ErrInvalid, url)
		require.ErrorContains(t, err, "loopback, link-local or private", url)
	}
	require.Zero(t, server.asked.Load())

	// The networks of one caller are not those of another, also on a connection that is open.
	o := source.Options{URL: server.url(), Insecure: true, Networks: egress.Networks{netip.MustParsePrefix("127.0.0.0/8")}}
	fetch(t, strict, o)
	asked := server.asked.Load()
	require.NotZero(t, asked)
	for _, networks := range []egress.Networks{nil, {netip.MustParsePrefix("10.0.0.0/8")}} {
		o.Networks = networks
		_, err := strict.Fetch(t.Context(), o)
		require.ErrorContains(t, err, "loopback, link-local or private")
	}
	require.Equal(t, asked, server.asked.Load())
}

// TestHostileCachePaths: no path leads to a clone that another caller fetched with credentials.
func TestHostileCachePaths(t *testing.T) {
	up := newUpstream(t)
	commit := up.commit("first", "a", "1")
	server := serveHTTP(t, up, false)
	dir := t.TempDir()
	cache := openGit(t, dir)
	fetch(t, cache, source.Options{Insecure: true, URL: server.url()})
	clones, err := filepath.Glob(filepath.Join(dir, "*", "clone.git"))
	require.NoError(t, err)
	require.Len(t, clones, 1)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(clones[0], link))
	for _, path := range []string{clones[0], "file://" + clones[0], link, dir, clones[0] + "/../../" + filepath.Base(filepath.Dir(clones[0])) + "/clone.git"} {
		_, err := cache.Fetch(t.Context(), source.Options{URL: path, Ref: source.Ref{Commit: commit}})
		require.ErrorIs(t, err, source.ErrInvalid, path)
		require.ErrorContains(t, err, "inside the cache", path)
	}
}

// TestHostileRefs has servers send refs and then nothing. They cannot use more memory than all connections share, and another server
// has its share.
func TestHostileRefs(t *testing.T) {
	up := newUpstream(t)
	up.commit("first", "a", "1")
	good := serveHTTP(t, up, false)
	const commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4905"
	packet := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	ctx, stop := context.WithCancel(t.Context())
	silent := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := packet("# service=git-upload-pack\n") + "0000" + packet(commit+" refs/heads/main\x00ofs-delta\n")
		for len(text) < 20<<20 {
			text += strings.Repeat(packet(commit+" refs/heads/other\n"), 10_000)
		}
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
		select {
		case <-ctx.Done():
		case <-r.Context().Done():
		}
	})}
	listener, err := net.Listen("tcp", "127.0.0.3:0")
	require.NoError(t, err)
	go func() { _ = silent.Serve(listener) }()
	t.Cleanup(func() { _ = silent.Close() })
	cache := newCache(t)
	errs := make(chan error, 8)
	for i := range 8 {
		go func() {
			_, err := cache.Fetch(ctx, source.Options{Insecure: true, URL: fmt.Sprintf("http://%s/%d/.git", listener.Addr(), i)})
			errs <- err
		}()
	}
	for range 6 {
		require.ErrorContains(t, <-errs, "too many refs of 127.0.0.3 are being read at once")
	}
	_, err = cache.Fetch(t.Context(), source.Options{Insecure: true, URL: good.URL + "/up/.git"})
	require.NoError(t, err, "another server")
	stop()
	for range 2 {
		require.ErrorIs(t, <-errs, context.Canceled)
	}
	_, err = cache.Fetch(t.Context(), source.Options{Insecure: true, URL: good.URL + "/up/.git"})
	require.NoError(t, err)
}
