package forge_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/source/forge"
)

const (
	token  = "glpat-0123456789abcdefABCDEF"
	me     = 4711
	other  = 815
	pull   = 7
	commit = "8c1f2d0a4b77a19e0f1c2d3e4f5061728394a5b6"
	marker = "<!-- accord:3f2a:plan -->"
)

// note is a comment as a host keeps it.
type note struct {
	id, author int64
	text       string
	system     bool
}

// reported is a status as the host received it.
type reported struct{ commit, context, state, description, target string }

// host is a forge with one repository, one pull request and a memory.
type host struct {
	provider forge.Provider
	path     string // of the repository
	server   *httptest.Server
	pageSize int  // at most; 0: all at once, as Gitea does
	app      bool // the token is an app's, and REST does not identify these
	refuse   http.HandlerFunc

	mu       sync.Mutex
	notes    []note
	statuses []reported
	pulls    []forge.PullRequest
	requests []string // method and path as sent
}

// newHost speaks the paths and payloads of the provider.
func newHost(t *testing.T, provider forge.Provider, notes ...note) *host {
	h := &host{provider: provider, path: "acme/fleet", pageSize: 100, notes: notes}
	mux := http.NewServeMux()
	switch provider {
	case forge.GitHub:
		h.speakGitHub(mux)
	case forge.GitLab:
		h.path = "acme/platform/fleet"
		h.speakGitLab(mux)
	case forge.Gitea:
		h.pageSize = 50 // its MAX_RESPONSE_ITEMS
		h.speakGitea(mux)
	}
	h.server = httptest.NewServer(h.guard(mux))
	t.Cleanup(h.server.Close)
	return h
}

func (h *host) speakGitHub(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v3/user", func(w http.ResponseWriter, _ *http.Request) {
		if h.app {
			answer(w, 403, map[string]any{"message": "Resource not accessible by integration"})
			return
		}
		answer(w, 200, map[string]any{"login": "accord", "id": me})
	})
	mux.HandleFunc("POST /api/graphql", func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Query string }
		if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Query != "query { viewer { databaseId } }" {
			answer(w, 400, map[string]any{"message": "Problems parsing JSON"})
			return
		}
		answer(w, 200, map[string]any{"data": map[string]any{"viewer": map[string]any{"databaseId": me}}})
	})
	issues := "/api/v3/repos/acme/fleet/issues"
	mux.HandleFunc("GET "+issues+"/7/comments", h.list("per_page"))
	mux.HandleFunc("POST "+issues+"/7/comments", h.create)
	mux.HandleFunc("PATCH "+issues+"/comments/{id}", h.edit)
	mux.HandleFunc("DELETE "+issues+"/comments/{id}", h.remove)
	mux.HandleFunc("POST /api/v3/repos/acme/fleet/pulls", h.open("title", "body", "head", "base", "html_url"))
	mux.HandleFunc("POST /api/v3/repos/acme/fleet/statuses/{commit}", h.status("context", "pending", "success", "failure", "error"))
}

func (h *host) speakGitLab(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v4/user", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"username": "accord", "id": me})
	})
	notes := "/api/v4/projects/acme%2Fplatform%2Ffleet/merge_requests/7/notes"
	mux.HandleFunc("GET "+notes, h.list("per_page"))
	mux.HandleFunc("POST "+notes, h.create)
	mux.HandleFunc("PUT "+notes+"/{id}", h.edit)
	mux.HandleFunc("DELETE "+notes+"/{id}", h.remove)
	mux.HandleFunc("POST /api/v4/projects/acme%2Fplatform%2Ffleet/merge_requests", h.open("title", "description", "source_branch", "target_branch", "web_url"))
	mux.HandleFunc("POST /api/v4/projects/acme%2Fplatform%2Ffleet/statuses/{commit}", h.status("name", "pending", "running", "success", "failed", "canceled"))
}

func (h *host) speakGitea(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/user", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"login": "accord", "id": me})
	})
	issues := "/api/v1/repos/acme/fleet/issues"
	mux.HandleFunc("GET "+issues+"/7/comments", h.list("limit"))
	mux.HandleFunc("POST "+issues+"/7/comments", h.create)
	mux.HandleFunc("PATCH "+issues+"/comments/{id}", h.edit)
	mux.HandleFunc("DELETE "+issues+"/comments/{id}", h.remove)
	mux.HandleFunc("POST /api/v1/repos/acme/fleet/pulls", h.open("title", "body", "head", "base", "html_url"))
	mux.HandleFunc("POST /api/v1/repos/acme/fleet/statuses/{commit}", h.status("context", "pending", "success", "failure", "error", "warning"))
}

// guard remembers requests and lets in who shows the token as this provider's clients do.
func (h *host) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.requests = append(h.requests, r.Method+" "+r.URL.EscapedPath())
		h.mu.Unlock()
		shown := map[forge.Provider]string{
			forge.GitHub: r.Header.Get("Authorization"), forge.GitLab: r.Header.Get("Private-Token"), forge.Gitea: r.Header.Get("Authorization"),
		}[h.provider]
		want := map[forge.Provider]string{forge.GitHub: "Bearer " + token, forge.GitLab: token, forge.Gitea: "token " + token}[h.provider]
		switch {
		case h.refuse != nil:
			h.refuse(w, r)
		case shown != want || r.UserAgent() != "accord/test":
			answer(w, 401, map[string]any{"message": "401 Unauthorized: " + shown})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (h *host) list(size string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.pageSize == 0 {
			answer(w, 200, h.wire(h.notes))
			return
		}
		page, perPage := max(1, number(r.URL.Query().Get("page"))), min(h.pageSize, max(1, number(r.URL.Query().Get(size))))
		from := min((page-1)*perPage, len(h.notes))
		to := min(from+perPage, len(h.notes))
		next := ""
		if to < len(h.notes) {
			next = strconv.Itoa(page + 1)
			link := *r.URL
			query := link.Query()
			query.Set("page", next)
			link.RawQuery = query.Encode()
			w.Header().Set("Link", fmt.Sprintf(`<%s%s>; rel="next"`, h.server.URL, link.String()))
		}
		if h.provider == forge.GitLab {
			w.Header().Del("Link")
			w.Header().Set("X-Next-Page", next)
		}
		answer(w, 200, h.wire(h.notes[from:to]))
	}
}

func (h *host) create(w http.ResponseWriter, r *http.Request) {
	text, ok := bodyOf(r)
	if !ok {
		answer(w, 422, map[string]any{"message": "body is missing"})
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	made := note{id: 9000 + int64(len(h.notes)), author: me, text: text}
	h.notes = append(h.notes, made)
	answer(w, 201, h.wire([]note{made})[0])
}

func (h *host) edit(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, ok := bodyOf(r)
	at := slices.IndexFunc(h.notes, func(n note) bool { return n.id == int64(number(r.PathValue("id"))) })
	if at < 0 || !ok || h.notes[at].author != me {
		answer(w, 403, map[string]any{"message": "403 Forbidden"})
		return
	}
	h.notes[at].text = text
	answer(w, 200, h.wire(h.notes[at : at+1])[0])
}

func (h *host) remove(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = slices.DeleteFunc(h.notes, func(n note) bool { return n.id == int64(number(r.PathValue("id"))) && n.author == me })
	w.WriteHeader(204)
}

func (h *host) status(context string, states ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var sent map[string]string
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || !slices.Contains(states, sent["state"]) {
			answer(w, 422, map[string]any{"message": "state does not have a valid value"})
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		now := reported{r.PathValue("commit"), sent[context], sent["state"], sent["description"], sent["target_url"]}
		last := slices.IndexFunc(h.statuses, func(s reported) bool { return s.commit == now.commit && s.context == now.context })
		if h.provider == forge.GitLab && last >= 0 && now.state == "pending" && h.statuses[last].state == "pending" {
			answer(w, 400, map[string]any{"message": `Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")`})
			return
		}
		h.statuses = append([]reported{now}, h.statuses...)
		answer(w, 201, map[string]any{"id": len(h.statuses), "state": now.state, "context": now.context})
	}
}

// open makes a pull request of the fields that the provider names so, and refuses a second one as GitHub does.
func (h *host) open(title, body, head, base, url string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var sent map[string]any
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			answer(w, 400, map[string]any{"message": err.Error()})
			return
		}
		text := func(field string) string { s, _ := sent[field].(string); return s }
		h.mu.Lock()
		defer h.mu.Unlock()
		asked := forge.PullRequest{Title: text(title), Body: text(body), Head: text(head), Base: text(base)}
		if slices.ContainsFunc(h.pulls, func(p forge.PullRequest) bool { return p.Head == asked.Head && p.Base == asked.Base }) {
			answer(w, 422, map[string]any{"message": "A pull request already exists for " + asked.Head})
			return
		}
		h.pulls = append(h.pulls, asked)
		answer(w, 201, map[string]any{"id": 1, "number": 8, "iid": 8, url: h.server.URL + "/pull/8"})
	}
}

// wire is notes as the provider writes them.
func (h *host) wire(notes []note) []map[string]any {
	list := []map[string]any{}
	for _, n := range notes {
		author := map[string]any{"id": n.author, "login": "somebody", "username": "somebody"}
		one := map[string]any{"id": n.id, "body": n.text, "created_at": "2026-01-02T03:04:05Z"}
		if h.provider == forge.GitLab {
			one["author"], one["system"] = author, n.system
		} else {
			one["user"], one["html_url"] = author, h.link(n.id)
		}
		list = append(list, one)
	}
	return list
}

// link is what a reader opens to see a comment.
func (h *host) link(id int64) string {
	switch h.provider {
	case forge.GitHub:
		return fmt.Sprintf("%s/acme/fleet/pull/7#issuecomment-%d", h.server.URL, id)
	case forge.GitLab:
		return fmt.Sprintf("%s/acme/platform/fleet/-/merge_requests/7#note_%d", h.server.URL, id)
	}
	return fmt.Sprintf("%s/acme/fleet/pulls/7#issuecomment-%d", h.server.URL, id)
}

func (h *host) options() forge.Options {
	return forge.Options{Provider: h.provider, URL: h.server.URL + "/" + h.path + ".git", Token: token + "\n", UserAgent: "accord/test", Networks: egress.Everywhere()}
}

func (h *host) forge(t *testing.T) forge.Forge {
	f, err := forge.New(h.options())
	require.NoError(t, err)
	return f
}

// asked is all requests so far.
func (h *host) asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

// writes is the requests that change something.
func (h *host) writes() []string {
	return slices.DeleteFunc(h.asked(), func(r string) bool { return strings.HasPrefix(r, "GET ") })
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func bodyOf(r *http.Request) (string, bool) {
	var sent struct{ Body string }
	err := json.NewDecoder(r.Body).Decode(&sent)
	return sent.Body, err == nil && sent.Body != ""
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// everyForge runs the same test against all of them.
func everyForge(t *testing.T, test func(t *testing.T, provider forge.Provider)) {
	for _, provider := range []forge.Provider{forge.GitHub, forge.GitLab, forge.Gitea} {
		t.Run(string(provider), func(t *testing.T) { test(t, provider) })
	}
}

func hostOf(t *testing.T, address string) string {
	where, err := url.Parse(address)
	require.NoError(t, err)
	return where.Host
}
