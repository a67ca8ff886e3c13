package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/utils/lru"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source/forge"
)

const hookKey = "it is a secret"

// hookAt is a push hook as it is served, and what it passes on. The federation "demo/prod" follows the branch main and
// accepts pushes, "demo/default" follows the default branch, "demo/tags" a range of tags, "demo/tag" one tag, and
// "demo/commit" stays at a commit; "demo/silent" accepts no pushes.
func hookAt(t *testing.T) (url string, pushed *[]string) {
	t.Helper()
	pushed = &[]string{}
	refs := map[string]*v1alpha1.Ref{
		"prod": {Branch: "main"}, "default": nil, "tags": {SemVer: ">=1"}, "tag": {Tag: "v1"}, "commit": {Branch: "main", Commit: after},
	}
	mux := http.NewServeMux()
	mux.Handle(pattern, handler{
		hook: func(_ context.Context, namespace, name string) (hook, bool) {
			ref, ok := refs[name]
			if namespace != "demo" || !ok {
				return hook{}, false
			}
			return hook{key: hasKey, sources: []v1alpha1.Source{{Name: "app", Ref: ref}}}, true
		},
		pushed: func(_ context.Context, namespace, name string) error {
			*pushed = append(*pushed, namespace+"/"+name)
			return nil
		},
		room: newRoom(maxRequests, maxBodies, nil), seen: lru.New(maxDeliveries), log: slog.New(slog.DiscardHandler),
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL, pushed
}

// hasKey returns the key of a test.
func hasKey(context.Context) []byte { return []byte(hookKey) }

func signature(key, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// What the forges send, as far as it is read.
const (
	before = "95790bf891e76fee5e1747ab589903a6a1f80f22"
	after  = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7"
	none   = "0000000000000000000000000000000000000000"
)

func pushOf(ref, after string) string {
	return fmt.Sprintf(`{"object_kind":"push","event_name":"push","ref":%q,"before":%q,"after":%q,"deleted":%t}`, ref, before, after, after == none)
}

// pullOf is a pull request to a branch as GitHub, Gitea and Forgejo send it.
func pullOf(action, base string, merged bool) string {
	return fmt.Sprintf(`{"action":%q,"number":7,"pull_request":{"number":7,"merged":%t,"head":{"sha":%q},"base":{"ref":%q}}}`, action, merged, after, base)
}

// mergeOf is the same at GitLab.
func mergeOf(action, target string) string {
	return fmt.Sprintf(`{"object_kind":"merge_request","object_attributes":{"iid":7,"action":%q,"target_branch":%q,"last_commit":{"id":%q}}}`, action, target, after)
}

func generic(key, body string) map[string]string {
	return map[string]string{"X-Signature": signature(key, body)}
}

func github(event, body string) map[string]string {
	return map[string]string{"X-GitHub-Event": event, "X-GitHub-Delivery": "72d3162e-cc78", "X-Hub-Signature-256": signature(hookKey, body)}
}

func gitlab(event, key string) map[string]string {
	return map[string]string{"X-Gitlab-Event": event, "X-Gitlab-Event-UUID": "3a427872-00df", "X-Gitlab-Token": key}
}

// gitea sends GitHub's headers as well.
func gitea(event, body string) map[string]string {
	header := github(event, body)
	header["X-Gitea-Event"], header["X-Gitea-Delivery"] = event, "f6266f16-1bf3"
	header["X-Gitea-Signature"] = strings.TrimPrefix(signature(hookKey, body), "sha256=")
	return header
}

func forgejo(event, body string) map[string]string {
	return map[string]string{
		"X-Forgejo-Event": event, "X-Forgejo-Delivery": "5d2b8a7c-7f2e", "X-Forgejo-Signature": strings.TrimPrefix(signature(hookKey, body), "sha256="),
	}
}

// with is header with one more.
func with(header map[string]string, name, value string) map[string]string {
	header[name] = value
	return header
}

func TestPushHook(t *testing.T) {
	push, deletion := pushOf("refs/heads/main", after), pushOf("refs/heads/main", none)
	side, tag, tagGone := pushOf("refs/heads/side", after), pushOf("refs/tags/v1", after), pushOf("refs/tags/v1", none)
	form := "payload=" + url.QueryEscape(push)
	merged, closed, opened, labeled := pullOf("closed", "main", true), pullOf("closed", "main", false), pullOf("opened", "main", false), pullOf("labeled", "main", true)
	mergedSide := pullOf("closed", "side", true)
	for name, c := range map[string]struct {
		federation string
		body       string
		header     map[string]string
		status     int
		look       bool
	}{
		"any sender, signed":                        {"demo/prod", "whatever", generic(hookKey, "whatever"), 202, true},
		"any sender, signed, without a body":        {"demo/prod", "", generic(hookKey, ""), 202, true},
		"a signature without its prefix":            {"demo/prod", "x", map[string]string{"X-Signature": signature(hookKey, "x")[len("sha256="):]}, 202, true},
		"GitHub, a push":                            {"demo/prod", push, github("push", push), 202, true},
		"GitHub, a push in a form":                  {"demo/prod", form, with(github("push", form), "Content-Type", "application/x-www-form-urlencoded"), 202, true},
		"GitHub, a ping":                            {"demo/prod", "{}", github("ping", "{}"), 202, false},
		"GitHub, a deleted branch":                  {"demo/prod", deletion, github("push", deletion), 202, false},
		"GitHub, another event":                     {"demo/prod", push, github("issues", push), 202, false},
		"GitHub, a merged pull request":             {"demo/prod", merged, github("pull_request", merged), 202, true},
		"GitHub, merged to another branch":          {"demo/prod", mergedSide, github("pull_request", mergedSide), 202, false},
		"GitHub, a pull request closed":             {"demo/prod", closed, github("pull_request", closed), 202, false},
		"GitHub, a pull request opened":             {"demo/prod", opened, github("pull_request", opened), 202, false},
		"GitHub, a label on what was merged":        {"demo/prod", labeled, github("pull_request", labeled), 202, false},
		"GitHub, a ping that is not signed":         {"demo/prod", "{}", map[string]string{"X-GitHub-Event": "ping"}, 403, false},
		"GitHub, signed in the way of others":       {"demo/prod", push, with(generic(hookKey, push), "X-GitHub-Event", "push"), 403, false},
		"GitHub, signed with SHA-1 only":            {"demo/prod", push, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature": "sha1=0123"}, 403, false},
		"GitHub, signed, and no JSON":               {"demo/prod", "{", github("push", "{"), 400, false},
		"GitLab, a push":                            {"demo/prod", push, gitlab("Push Hook", hookKey), 202, true},
		"GitLab, a tag for those who follow tags":   {"demo/tags", tag, gitlab("Tag Push Hook", hookKey), 202, true},
		"GitLab, a deleted branch":                  {"demo/prod", deletion, gitlab("Push Hook", hookKey), 202, false},
		"GitLab, a merge":                           {"demo/prod", mergeOf("merge", "main"), gitlab("Merge Request Hook", hookKey), 202, true},
		"GitLab, a merge to another branch":         {"demo/prod", mergeOf("merge", "side"), gitlab("Merge Request Hook", hookKey), 202, false},
		"GitLab, a merge request opened":            {"demo/prod", mergeOf("open", "main"), gitlab("Merge Request Hook", hookKey), 202, false},
		"GitLab, another event":                     {"demo/prod", `{"object_kind":"note"}`, gitlab("Note Hook", hookKey), 202, false},
		"GitLab, another token":                     {"demo/prod", push, gitlab("Push Hook", "another"), 403, false},
		"GitLab, the beginning of the token":        {"demo/prod", push, gitlab("Push Hook", hookKey[:5]), 403, false},
		"GitLab, an empty token for an empty key":   {"demo/silent", push, gitlab("Push Hook", ""), 403, false},
		"Gitea, a push":                             {"demo/prod", push, gitea("push", push), 202, true},
		"Gitea, a merged pull request":              {"demo/prod", merged, gitea("pull_request", merged), 202, true},
		"Gitea, a pull request opened":              {"demo/prod", opened, gitea("pull_request", opened), 202, false},
		"Gitea, another body was signed":            {"demo/prod", push, gitea("push", side), 403, false},
		"Forgejo, a push":                           {"demo/prod", push, forgejo("push", push), 202, true},
		"Forgejo, a merged pull request":            {"demo/prod", merged, forgejo("pull_request", merged), 202, true},
		"Forgejo, another event":                    {"demo/prod", "{}", forgejo("release", "{}"), 202, false},
		"a branch that nobody follows":              {"demo/prod", side, github("push", side), 202, false},
		"any branch, where the default is followed": {"demo/default", side, github("push", side), 202, true},
		"a tag, where a branch is followed":         {"demo/prod", tag, github("push", tag), 202, false},
		"the tag that is followed":                  {"demo/tag", tag, github("push", tag), 202, true},
		"a branch, where a tag is followed":         {"demo/tag", push, github("push", push), 202, false},
		"a tag in a range was deleted":              {"demo/tags", tagGone, github("push", tagGone), 202, true},
		"a branch, where tags are followed":         {"demo/tags", push, github("push", push), 202, false},
		"a branch that may bring the commit":        {"demo/commit", side, github("push", side), 202, true},
		"two forges at once":                        {"demo/prod", push, with(github("push", push), "X-Gitlab-Token", hookKey), 403, false},
		"signed with another key":                   {"demo/prod", "x", generic("another", "x"), 403, false},
		"another body was signed":                   {"demo/prod", "x", generic(hookKey, "y"), 403, false},
		"not signed":                                {"demo/prod", "x", nil, 403, false},
		"a signature that is no number":             {"demo/prod", "x", map[string]string{"X-Signature": "sha256=signed"}, 403, false},
		"an empty signature":                        {"demo/prod", "x", map[string]string{"X-Signature": "sha256="}, 403, false},
		"an empty key signs nothing":                {"demo/silent", "x", generic("", "x"), 403, false},
		"no such federation":                        {"demo/nothing", "x", generic(hookKey, "x"), 403, false},
		"a body as large as it may be":              {"demo/prod", large(maxBody), generic(hookKey, large(maxBody)), 202, true},
		"a body that is too large, however signed":  {"demo/prod", large(maxBody + 1), generic(hookKey, large(maxBody+1)), 413, false},
	} {
		t.Run(name, func(t *testing.T) {
			at, pushed := hookAt(t)
			status, _ := post(t, at+"/hook/"+c.federation, c.body, c.header)
			require.Equal(t, c.status, status)
			if c.look {
				require.Equal(t, []string{c.federation}, *pushed)
			} else {
				require.Empty(t, *pushed)
			}
		})
	}
}

// A forge sends a delivery again when it had no answer in time; once it was acted on, that is enough. Another delivery, or
// the same one for another federation, is news.
func TestPushHookHearsADeliveryOnce(t *testing.T) {
	at, pushed := hookAt(t)
	body := pushOf("refs/heads/main", after)
	for name, header := range map[string]map[string]string{
		"github": github("push", body), "gitlab": gitlab("Push Hook", hookKey), "gitea": gitea("push", body), "forgejo": forgejo("push", body),
	} {
		*pushed = nil
		for range 3 {
			status, _ := post(t, at+"/hook/demo/prod", body, header)
			require.Equal(t, http.StatusAccepted, status, name)
		}
		require.Equal(t, []string{"demo/prod"}, *pushed, name)
		post(t, at+"/hook/demo/default", body, header)
		require.Equal(t, []string{"demo/prod", "demo/default"}, *pushed, name)
	}
	*pushed = nil
	post(t, at+"/hook/demo/prod", body, with(github("push", body), "X-GitHub-Delivery", "another"))
	post(t, at+"/hook/demo/prod", body, generic(hookKey, body))
	post(t, at+"/hook/demo/prod", body, generic(hookKey, body)) // who gives no number is heard every time
	require.Len(t, *pushed, 3)
}

// What could not be passed on is not remembered: the forge is told to try again, and that has to work.
func TestPushHookTriesADeliveryAgain(t *testing.T) {
	failures, looks := 1, 0
	h := handler{seen: lru.New(maxDeliveries), log: slog.New(slog.DiscardHandler), pushed: func(context.Context, string, string) error {
		looks++
		if failures--; failures >= 0 {
			return errors.New("the hub is away")
		}
		return nil
	}}
	known := hook{sources: []v1alpha1.Source{{}}}
	event := forge.Event{Provider: forge.GitHub, Kind: forge.Push, Ref: "refs/heads/main", After: after, Delivery: "1"}
	require.Error(t, h.act(t.Context(), "demo", "prod", known, event))
	require.NoError(t, h.act(t.Context(), "demo", "prod", known, event))
	require.NoError(t, h.act(t.Context(), "demo", "prod", known, event))
	require.Equal(t, 2, looks)
}

func large(size int) string { return strings.Repeat("x", size) }

func TestPushHookTakesOnlyPosts(t *testing.T) {
	at, pushed := hookAt(t)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
		r, err := http.NewRequestWithContext(t.Context(), method, at+"/hook/demo/prod", nil)
		require.NoError(t, err)
		r.Header.Set("X-Signature", signature(hookKey, ""))
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode, method)
	}
	require.Empty(t, *pushed)
}

// post returns the status and the answer.
func post(t *testing.T, to, body string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(body))
	require.NoError(t, err)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(said)
}
