package ci

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const forgeToken = "planted-token"

// reviews: the job says on the pull request what it does, and ends with 2 when it must not be merged as it is.
func (w *world) reviews(t *testing.T, j job, as func(t *testing.T, host, base, head string) []string) {
	host := newHost(t)
	base, fine := w.proposal(t, "web 1.5.0", "1.5.0")
	dir := w.checkout(t, fine)
	out, code := w.run(t, j, dir, as(t, host.URL, base, fine)...)
	require.Zero(t, code, out)
	require.Len(t, host.comments, 1)
	require.Contains(t, host.comments[0], "registry.example.com/web:1.5.0")
	require.Regexp(t, "accord/plan success", host.statuses[len(host.statuses)-1])

	_, broken := w.proposal(t, "a typing error", "1.6.0\n  replica: 3")
	out, code = w.run(t, j, w.checkout(t, broken), as(t, host.URL, base, broken)...)
	require.NotZero(t, code, out)
	require.Contains(t, out, "replica")
	require.NotContains(t, out, forgeToken)
	require.Len(t, host.comments, 1, "the same comment, changed")
	require.Contains(t, host.comments[0], "`policy.yaml:")
	require.Regexp(t, "accord/plan (failure|failed|error)", host.statuses[len(host.statuses)-1])
}

// proposal is a branch with another version of web: what it begins at, and its commit. What follows a line break in the
// version stands in the policy.
func (w *world) proposal(t *testing.T, subject, version string) (base, head string) {
	base = w.head(t)
	dir := w.checkout(t, base)
	version, mistake, _ := strings.Cut(version, "\n")
	write(t, dir, map[string]string{"policy.yaml": policyManifest + mistake + "\n", "web.yaml": fmt.Sprintf(webManifest, version)})
	w.git(t, "-C", dir, "add", ".")
	w.git(t, "-C", dir, "-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", subject)
	head = strings.TrimSpace(w.git(t, "-C", dir, "rev-parse", "HEAD"))
	w.git(t, "-C", dir, "push", "-q", "origin", "HEAD:refs/heads/"+strings.ReplaceAll(subject, " ", "-")+"-"+head[:7])
	return base, head
}

// write files, by name, into a directory.
func write(t *testing.T, dir string, files map[string]string) {
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
}

// checkout is what a runner has of a commit.
func (w *world) checkout(t *testing.T, commit string) string {
	dir := filepath.Join(t.TempDir(), "checkout")
	w.git(t, "clone", "-q", w.origin, dir)
	w.git(t, "-C", dir, "checkout", "-q", "--detach", commit)
	return dir
}

// asGitHub are the variables of a run for pull request 7.
func (w *world) asGitHub(t *testing.T, host, _, head string) []string {
	event := filepath.Join(t.TempDir(), "event.json")
	require.NoError(t, os.WriteFile(event, fmt.Appendf(nil, `{"pull_request": {"number": 7, "head": {"sha": %q}}}`, head), 0o600))
	return []string{
		"GITHUB_SERVER_URL=" + host, "GITHUB_API_URL=" + host + "/api/v3", "GITHUB_REPOSITORY=shop/config", "GITHUB_EVENT_PATH=" + event,
		"GITHUB_BASE_REF=main", "ACCORD_KUBECONFIG=",
	}
}

// asGitLab are those of merge request 7.
func (w *world) asGitLab(_ *testing.T, host, base, head string) []string {
	return []string{
		"GITLAB_CI=true", "CI_API_V4_URL=" + host + "/api/v4", "CI_PROJECT_URL=" + host + "/shop/config", "CI_MERGE_REQUEST_IID=7",
		"CI_COMMIT_SHA=" + head, "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + base, "GITLAB_TOKEN=" + forgeToken,
	}
}

// host is where the repository of both is hosted, as far as a review goes.
type host struct {
	*httptest.Server
	mu       sync.Mutex
	comments []string
	statuses []string // "context state"
}

func newHost(t *testing.T) *host {
	h := &host{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		var asked map[string]any
		if r.Method != http.MethodGet {
			_ = json.NewDecoder(r.Body).Decode(&asked)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(h.answer(r.Method, r.URL.Path, asked))
	}))
	t.Cleanup(h.Close)
	return h
}

// answer speaks the paths of GitHub and GitLab.
func (h *host) answer(method, path string, asked map[string]any) any {
	me := map[string]any{"id": 5, "login": "bot"}
	said := func() map[string]any {
		return map[string]any{"id": 1, "body": h.comments[0], "user": me, "author": me}
	}
	switch {
	case strings.HasSuffix(path, "/user"):
		return me
	case strings.Contains(path, "/statuses/"):
		context := asked["context"]
		if context == nil {
			context = asked["name"]
		}
		h.statuses = append(h.statuses, fmt.Sprint(context, " ", asked["state"]))
		return map[string]any{"id": 1}
	case method == http.MethodGet && len(h.comments) == 0:
		return []any{}
	case method == http.MethodGet:
		return []any{said()}
	default:
		h.comments = []string{fmt.Sprint(asked["body"])}
		return said()
	}
}

const (
	federationManifest = `apiVersion: accord.dev/v1alpha1
kind: Federation
metadata: {name: shop, namespace: prod}
spec:
  prune: true
  sources: [{name: main, url: https://git.example.com/shop.git}]
`
	clusterManifest = `apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: eu-1}
spec: {syncMode: Push}
`
	policyManifest = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
`
	webManifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:%s
`
)
