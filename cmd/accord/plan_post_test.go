package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

const (
	forgeToken = "glpat-planted-token"
	pullHead   = "8c1f2d0a4b77a19e0f1c2d3e4f5061728394a5b6"
)

// forgeHost is a forge with one pull request, 7, of team/prod.
type forgeHost struct {
	*httptest.Server
	refuse int // status that everything is answered with; 0: none

	mu       sync.Mutex
	comments []string
	statuses []string // "state description" of the pull request's head
	pulls    []map[string]string
}

// newForgeHost serves the paths of a provider.
func newForgeHost(t *testing.T, provider forge.Provider) *forgeHost {
	h := &forgeHost{}
	mux := http.NewServeMux()
	paths := map[forge.Provider]struct{ user, comments, comment, status string }{
		forge.GitHub: {"/api/v3/user", "/api/v3/repos/team/prod/issues/7/comments", "PATCH /api/v3/repos/team/prod/issues/comments/1", "/api/v3/repos/team/prod/statuses/"},
		forge.GitLab: {
			"/api/v4/user", "/api/v4/projects/team%2Fprod/merge_requests/7/notes", "PUT /api/v4/projects/team%2Fprod/merge_requests/7/notes/1",
			"/api/v4/projects/team%2Fprod/statuses/",
		},
		forge.Gitea: {"/api/v1/user", "/api/v1/repos/team/prod/issues/7/comments", "PATCH /api/v1/repos/team/prod/issues/comments/1", "/api/v1/repos/team/prod/statuses/"},
	}[provider]
	mux.HandleFunc("GET "+paths.user, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{"id": 5, "login": "bot"}) })
	mux.HandleFunc("GET "+paths.comments, func(w http.ResponseWriter, _ *http.Request) {
		all := []any{}
		for i, text := range h.comments {
			all = append(all, h.comment(i, text))
		}
		reply(w, 200, all)
	})
	mux.HandleFunc("POST "+paths.comments, func(w http.ResponseWriter, r *http.Request) {
		h.comments = append(h.comments, asked(r)["body"])
		reply(w, 201, h.comment(len(h.comments)-1, asked(r)["body"]))
	})
	mux.HandleFunc(paths.comment, func(w http.ResponseWriter, r *http.Request) {
		h.comments[0] = asked(r)["body"]
		reply(w, 200, h.comment(0, h.comments[0]))
	})
	mux.HandleFunc("POST "+paths.status+pullHead, func(w http.ResponseWriter, r *http.Request) {
		s := asked(r)
		h.statuses = append(h.statuses, s["context"]+s["name"]+" "+s["state"]+" "+s["description"])
		reply(w, 201, map[string]any{"id": 1})
	})
	for _, path := range []string{"/api/v3/repos/team/prod/pulls", "/api/v4/projects/team%2Fprod/merge_requests", "/api/v1/repos/team/prod/pulls"} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			h.pulls = append(h.pulls, asked(r))
			reply(w, 201, map[string]any{"id": 1, "number": 8, "iid": 8, "html_url": h.URL + "/pull/8", "web_url": h.URL + "/pull/8"})
		})
	}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.refuse != 0 {
			reply(w, h.refuse, map[string]any{"message": "no: " + r.Header.Get("Authorization") + r.Header.Get("Private-Token")})
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *forgeHost) comment(i int, text string) map[string]any {
	by := map[string]any{"id": 5}
	return map[string]any{"id": i + 1, "body": text, "user": by, "author": by, "html_url": h.URL + "/c/1"}
}

// asked returns the parameters of a request, in JSON or a form.
func asked(r *http.Request) map[string]string {
	said := map[string]string{}
	var body map[string]any
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") && json.NewDecoder(r.Body).Decode(&body) == nil {
		for key, value := range body {
			said[key] = fmt.Sprint(value)
		}
		r.Form = map[string][]string{"body": {said["body"]}}
		return said
	}
	_ = r.ParseForm()
	for key := range r.Form {
		said[key] = r.Form.Get(key)
	}
	return said
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

// inPipeline sets the environment of a run for pull request 7.
func (h *forgeHost) inPipeline(t *testing.T, provider forge.Provider) {
	for _, name := range []string{
		"GITLAB_CI", "CI_API_V4_URL", "GITHUB_REPOSITORY", "GITEA_ACTIONS", "FORGEJO_ACTIONS", "GITHUB_TOKEN", "GITLAB_TOKEN", "ACCORD_FORGE_TOKEN",
		"ACCORD_KUBECONFIG", "GITHUB_RUN_ID", "CI_JOB_URL", "CI_MERGE_REQUEST_PROJECT_URL",
	} {
		t.Setenv(name, "")
	}
	if provider == forge.GitLab {
		t.Setenv("GITLAB_CI", "true")
		t.Setenv("CI_PROJECT_URL", h.URL+"/team/prod")
		t.Setenv("CI_API_V4_URL", h.URL+"/api/v4")
		t.Setenv("CI_MERGE_REQUEST_IID", "7")
		t.Setenv("CI_COMMIT_SHA", strings.Repeat("0", 40))
		t.Setenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", pullHead)
		t.Setenv("GITLAB_TOKEN", forgeToken)
		return
	}
	event := filepath.Join(t.TempDir(), "event.json")
	require.NoError(t, os.WriteFile(event, fmt.Appendf(nil, `{"pull_request": {"number": 7, "head": {"sha": %q}}}`, pullHead), 0o600))
	t.Setenv("GITHUB_SERVER_URL", h.URL)
	t.Setenv("GITHUB_REPOSITORY", "team/prod")
	t.Setenv("GITHUB_EVENT_PATH", event)
	t.Setenv("GITHUB_TOKEN", forgeToken)
	t.Setenv("GITHUB_API_URL", h.URL+"/api/v3")
	if provider == forge.Gitea {
		t.Setenv("GITEA_ACTIONS", "true")
		t.Setenv("GITHUB_API_URL", h.URL+"/api/v1")
	}
}

// reviewed returns a repository with one commit and changes in the working tree.
func reviewed(t *testing.T, committed, beside map[string]string) string {
	dir := t.TempDir()
	write := func(files map[string]string) {
		for name, text := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
	}
	write(committed)
	repo, err := git.PlainInit(dir, false)
	require.NoError(t, err)
	tree, err := repo.Worktree()
	require.NoError(t, err)
	require.NoError(t, tree.AddWithOptions(&git.AddOptions{All: true}))
	_, err = tree.Commit("one", &git.CommitOptions{Author: &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Now()}})
	require.NoError(t, err)
	write(beside)
	return dir
}

const (
	postCluster = "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: eu}\nspec: {syncMode: Push}\n"
	postPolicy  = "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: all}\n" +
		"spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}\n"
	postConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\ndata: {version: \"%d\"}\n"
)

// runPlan runs a command line and returns its exit code and everything it printed.
func runPlan(t *testing.T, args ...string) (code int, printed string) {
	var out bytes.Buffer
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	code = execute(context.Background(), append([]string{"plan"}, args...), strings.NewReader(""), &out, &out)
	return code, out.String()
}

func TestPlanPost(t *testing.T) {
	committed := map[string]string{"c.yaml": postCluster, "p.yaml": postPolicy, "w.yaml": fmt.Sprintf(postConfig, 1)}
	for _, provider := range []forge.Provider{forge.GitHub, forge.GitLab, forge.Gitea} {
		t.Run(string(provider), func(t *testing.T) {
			h := newForgeHost(t, provider)
			h.inPipeline(t, provider)
			dir := reviewed(t, committed, map[string]string{"w.yaml": fmt.Sprintf(postConfig, 2)})

			code, printed := runPlan(t, dir, "--post")
			require.Equal(t, 1, code, printed)
			require.True(t, strings.HasPrefix(printed, "1 object in 1 cluster affected, 1 distinct change\n"), printed)
			require.Len(t, h.comments, 1)
			require.Regexp(t, `^<!-- accord:default/[0-9]+:plan -->\n### accord plan`, h.comments[0])
			require.Equal(t, []string{"accord/plan pending planning", "accord/plan success 1 object in 1 cluster, 1 distinct change"}, h.statuses)

			require.NoError(t, os.WriteFile(filepath.Join(dir, "w.yaml"), []byte("kind: ConfigMap\n"), 0o600))
			code, printed = runPlan(t, dir, "--post", "--comment-id", "a/b")
			require.Equal(t, 2, code, printed)
			require.Len(t, h.comments, 2, "a comment of its own for each instance")
			require.Contains(t, h.comments[1], "Cannot be planned")
			require.Contains(t, h.comments[1], "`w.yaml:1")
			require.Contains(t, h.statuses[3], "accord/plan/a/b fail")

			require.NoError(t, os.WriteFile(filepath.Join(dir, "w.yaml"), fmt.Appendf(nil, postConfig, 1), 0o600))
			code, printed = runPlan(t, dir, "--post")
			require.Equal(t, 0, code, printed)
			require.Len(t, h.comments, 2, "edited where it is")
			require.Contains(t, h.comments[0], "Nothing changes in any of 1 cluster")

			code, printed = runPlan(t, dir, "--post", "--base", "nope")
			require.Equal(t, 2, code, printed)
			require.Regexp(t, `^accord/plan (error|failed) accord could not make the plan`, h.statuses[len(h.statuses)-1])
		})
	}
}

// TestPlanAllPost: one comment and one status for all Federations.
func TestPlanAllPost(t *testing.T) {
	const federation = "apiVersion: accord.dev/v1alpha1\nkind: Federation\nmetadata: {name: %s, namespace: shop}\n" +
		"spec: {sources: [{name: main, url: \"https://git.example/team/prod\", path: %s}]}\n"
	committed := map[string]string{"one.yaml": fmt.Sprintf(federation, "one", "a"), "two.yaml": fmt.Sprintf(federation, "two", "b")}
	for _, dir := range []string{"a", "b"} {
		committed[dir+"/c.yaml"], committed[dir+"/p.yaml"], committed[dir+"/w.yaml"] = postCluster, postPolicy, fmt.Sprintf(postConfig, 1)
	}
	h := newForgeHost(t, forge.GitHub)
	h.inPipeline(t, forge.GitHub)
	dir := reviewed(t, committed, map[string]string{"b/w.yaml": fmt.Sprintf(postConfig, 2)})

	code, printed := runPlan(t, dir, "--all", "--post")
	require.Equal(t, 1, code, printed)
	require.Len(t, h.comments, 1)
	require.Regexp(t, `^<!-- accord:all:plan -->\n### accord plan\n\n\*\*2 Federations: 1 changed, 1 unchanged\.\*\*`, h.comments[0])
	require.Contains(t, h.comments[0], "### accord plan · `shop/two`")
	require.NotContains(t, h.comments[0], "### accord plan · `shop/one`")
	require.Equal(t, []string{"accord/plan pending planning", "accord/plan success 2 Federations: 1 changed, 1 unchanged"}, h.statuses)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "w.yaml"), []byte("kind: ConfigMap\n"), 0o600))
	code, printed = runPlan(t, dir, "--all", "--post")
	require.Equal(t, 2, code, printed)
	require.Len(t, h.comments, 1, "edited where it is")
	require.Contains(t, h.comments[0], "1 cannot be planned, 1 changed")
	require.Equal(t, "accord/plan failure 2 Federations: 1 cannot be planned, 1 changed", h.statuses[3])
}

func TestPlanThatCannotBePosted(t *testing.T) {
	dir := reviewed(t, map[string]string{"c.yaml": postCluster, "p.yaml": postPolicy, "w.yaml": fmt.Sprintf(postConfig, 1)},
		map[string]string{"w.yaml": fmt.Sprintf(postConfig, 2)})
	for _, c := range []struct {
		state   string
		prepare func(t *testing.T, h *forgeHost)
		want    string
	}{
		{"the token may not write", func(_ *testing.T, h *forgeHost) { h.refuse = 403 }, "denied"},
		{"the forge is in trouble", func(_ *testing.T, h *forgeHost) { h.refuse = 500 }, "comment on pull request 7"},
		{"it does not listen", func(_ *testing.T, h *forgeHost) { h.Close() }, "comment on pull request 7"},
		{"there is no token", func(t *testing.T, _ *forgeHost) { t.Setenv("GITHUB_TOKEN", "") }, "no token"},
		{"no event", func(t *testing.T, _ *forgeHost) { t.Setenv("GITHUB_EVENT_PATH", "") }, "set --pull-request"},
		{"no pipeline", func(t *testing.T, _ *forgeHost) { t.Setenv("GITHUB_REPOSITORY", "") }, "--forge-url"},
	} {
		t.Run(c.state, func(t *testing.T) {
			h := newForgeHost(t, forge.GitHub)
			h.inPipeline(t, forge.GitHub)
			c.prepare(t, h)
			code, printed := runPlan(t, dir, "--post")
			require.Equal(t, 2, code)
			require.Contains(t, printed, "1 object in 1 cluster affected", "the plan is printed all the same")
			require.Contains(t, printed, "posting the plan failed: ")
			require.Contains(t, printed, c.want)
			require.NotContains(t, printed, forgeToken)
		})
	}
}
