package source_test

import (
	"context"
	"io/fs"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/source"
)

// upstream is a real repository that tests change with git itself.
type upstream struct {
	t   testing.TB
	dir string // the work tree; the repository is in .git
}

func newUpstream(t testing.TB) *upstream {
	u := &upstream{t, filepath.Join(t.TempDir(), "up")}
	require.NoError(t, os.Mkdir(u.dir, 0o755))
	u.git("init", "-q", "-b", "main", "--template=")
	return u
}

func (u *upstream) git(args ...string) string {
	u.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = u.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.fsync", "GIT_CONFIG_VALUE_0=none", // tests are many, and short
		"GIT_CONFIG_KEY_1=maintenance.auto", "GIT_CONFIG_VALUE_1=false",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05+0100",
		"GIT_COMMITTER_NAME=Bob", "GIT_COMMITTER_EMAIL=bob@example.org", "GIT_COMMITTER_DATE=2026-01-02T04:04:05+0100")
	out, err := cmd.CombinedOutput()
	require.NoError(u.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// write writes files given as name, content, name, content, and nothing else.
func (u *upstream) write(files ...string) {
	u.t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(u.dir, files[i])
		require.NoError(u.t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(u.t, os.WriteFile(name, []byte(files[i+1]), 0o644))
	}
}

// commit writes files, commits everything and returns the commit.
func (u *upstream) commit(message string, files ...string) string {
	u.t.Helper()
	u.write(files...)
	u.git("add", "-A")
	u.git("commit", "-q", "--allow-empty", "-m", message)
	return u.head()
}

// head reads what HEAD is, without starting a process.
func (u *upstream) head() string {
	u.t.Helper()
	name := "HEAD"
	for {
		content, err := os.ReadFile(filepath.Join(u.dir, ".git", name))
		require.NoError(u.t, err)
		link, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: ")
		if !ok {
			return link
		}
		name = link
	}
}

// webServer serves an upstream by smart HTTP through git's own backend.
type webServer struct {
	*httptest.Server
	asked, packs atomic.Int64 // ls-remotes and downloads so far
	sent         atomic.Int64 // bytes
	allow        func(*http.Request) bool
}

func serveHTTP(t testing.TB, u *upstream, secure bool) *webServer {
	w := &webServer{}
	backend := &cgi.Handler{
		Path:   filepath.Join(execPath(t), "git-http-backend"),
		Env:    []string{"GIT_PROJECT_ROOT=" + filepath.Dir(u.dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
		Stderr: t.Output(),
		Logger: log.New(t.Output(), "", 0),
	}
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if w.allow != nil && !w.allow(in) {
			out.Header().Set("WWW-Authenticate", "Basic")
			http.Error(out, "who is "+in.Header.Get("Authorization")+"?", http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(in.URL.Path, "/info/refs") {
			w.asked.Add(1)
		} else {
			w.packs.Add(1)
		}
		backend.ServeHTTP(&counting{out, &w.sent}, in)
	}))
	w.Config.ErrorLog = log.New(t.Output(), "", 0)
	if secure {
		w.StartTLS()
	} else {
		w.Start()
	}
	t.Cleanup(w.Close)
	return w
}

type counting struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c *counting) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

func (w *webServer) url() string { return w.URL + "/up/.git" }

func execPath(t testing.TB) string {
	out, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func openGit(t testing.TB, dir string) *source.Cache {
	c, err := source.OpenGit(dir, source.Policy{Local: true, Networks: egress.Everywhere()})
	require.NoError(t, err)
	return c
}

func newCache(t *testing.T) *source.Cache { return openGit(t, t.TempDir()) }

func fetch(t testing.TB, c *source.Cache, o source.Options) source.Snapshot {
	t.Helper()
	s, err := c.Fetch(context.Background(), o)
	require.NoError(t, err)
	return s
}

func read(t testing.TB, s source.Snapshot, name string) string {
	t.Helper()
	content, err := fs.ReadFile(s.FS, name)
	require.NoError(t, err)
	return string(content)
}
