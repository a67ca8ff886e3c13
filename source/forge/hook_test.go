package forge_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-github/v89/github"
	"github.com/stretchr/testify/require"
	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/accord-dev/accord/source/forge"
)

const (
	key   = "a key for hooks"
	older = "4b77a190000000000000000000000000000000aa"
	none  = "0000000000000000000000000000000000000000"

	pushBody   = `{"ref":"refs/heads/main","before":"` + older + `","after":"` + commit + `","deleted":false,"repository":{"id":1,"pushed_at":1767323045}}`
	newBody    = `{"ref":"refs/tags/v1","before":"` + none + `","after":"` + commit + `"}`
	goneBody   = `{"ref":"refs/heads/old","before":"` + older + `","after":"` + none + `","deleted":true}`
	pullBody   = `{"action":"synchronize","number":7,"pull_request":{"number":7,"merged":false,"head":{"ref":"change","sha":"` + commit + `"},"base":{"ref":"main","sha":"` + older + `"}}}`
	mergedBody = `{"action":"closed","number":7,"pull_request":{"number":7,"merged":true,"head":{"ref":"change","sha":"` + commit + `"},"base":{"ref":"main","sha":"` + older + `"}}}`

	labPushBody   = `{"object_kind":"push","event_name":"push","ref":"refs/heads/main","before":"` + older + `","after":"` + commit + `","checkout_sha":"` + commit + `","project_id":15}`
	labSystemBody = `{"event_name":"push","ref":"refs/heads/main","before":"` + older + `","after":"` + commit + `"}`
	labTagBody    = `{"object_kind":"tag_push","event_name":"tag_push","ref":"refs/tags/v1","before":"` + none + `","after":"` + commit + `"}`
	labPullBody   = `{"object_kind":"merge_request","object_attributes":{"id":99,"iid":7,"action":"update","state":"opened","target_branch":"main","source_branch":"change","approvals_before_merge":2,"last_commit":{"id":"` + commit + `"}}}`
	labMergeBody  = `{"object_kind":"merge_request","object_attributes":{"id":99,"iid":7,"action":"merge","state":"merged","target_branch":"main","last_commit":{"id":"` + commit + `"}}}`
)

func mac(key, body string) string {
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write([]byte(body))
	return hex.EncodeToString(sum.Sum(nil))
}

// The headers that each sender sends.

func fromGitHub(event, body string) map[string]string {
	return map[string]string{
		"X-GitHub-Event": event, "X-GitHub-Delivery": "d-1", "X-GitHub-Hook-ID": "12", "X-Hub-Signature-256": "sha256=" + mac(key, body),
		"X-Hub-Signature": "sha1=" + strings.Repeat("0", 40), "Content-Type": "application/json",
	}
}

func fromGitLab(event string) map[string]string {
	return map[string]string{
		"X-Gitlab-Event": event, "X-Gitlab-Token": key, "X-Gitlab-Event-UUID": "d-1", "X-Gitlab-Instance": "https://gitlab.example",
		"Content-Type": "application/json",
	}
}

// Gitea sends the headers of GitHub as well, Forgejo those of Gitea too.
func fromGitea(event, body string) map[string]string {
	headers := fromGitHub(event, body)
	delete(headers, "X-GitHub-Hook-ID")
	headers["X-Gitea-Event"], headers["X-Gitea-Event-Type"], headers["X-Gitea-Delivery"] = event, event, "d-1"
	headers["X-Gitea-Signature"] = mac(key, body)
	return headers
}

func fromForgejo(event, body string) map[string]string {
	headers := fromGitea(event, body)
	headers["X-Forgejo-Event"], headers["X-Forgejo-Delivery"], headers["X-Forgejo-Signature"] = event, "d-1", mac(key, body)
	return headers
}

func with(headers map[string]string, more ...string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		headers[more[i]] = more[i+1]
	}
	return headers
}

func header(headers map[string]string) http.Header {
	all := http.Header{}
	for name, value := range headers {
		if value != "-" {
			all.Set(name, value)
		}
	}
	return all
}

func form(body string) string { return url.Values{"payload": {body}}.Encode() }

func TestRead(t *testing.T) {
	push := forge.Event{Kind: forge.Push, Ref: "refs/heads/main", Before: older, After: commit, Delivery: "d-1"}
	pulled := forge.Event{Kind: forge.Pull, Ref: "refs/heads/main", After: commit, Pull: 7, Delivery: "d-1"}
	of := func(p forge.Provider, e forge.Event) forge.Event { e.Provider = p; return e }
	did := func(action string, merged bool, e forge.Event) forge.Event {
		e.Action, e.Merged = action, merged
		return e
	}
	created := forge.Event{Kind: forge.Push, Ref: "refs/tags/v1", After: commit, Delivery: "d-1"}
	gone := forge.Event{Kind: forge.Push, Ref: "refs/heads/old", Before: older, Delivery: "d-1"}
	another := forge.Event{Kind: forge.Other, Delivery: "d-1"}
	const formType = "application/x-www-form-urlencoded; charset=utf-8"
	cases := map[string]struct {
		header map[string]string
		body   string
		want   forge.Event
	}{
		"GitHub, a push":                    {fromGitHub("push", pushBody), pushBody, of(forge.GitHub, push)},
		"GitHub, a push in a form":          {with(fromGitHub("push", form(pushBody)), "Content-Type", formType), form(pushBody), of(forge.GitHub, push)},
		"GitHub, a new tag":                 {fromGitHub("push", newBody), newBody, of(forge.GitHub, created)},
		"GitHub, a branch is gone":          {fromGitHub("push", goneBody), goneBody, of(forge.GitHub, gone)},
		"GitHub, a pull request":            {fromGitHub("pull_request", pullBody), pullBody, of(forge.GitHub, did("synchronize", false, pulled))},
		"GitHub, a merge":                   {fromGitHub("pull_request", mergedBody), mergedBody, of(forge.GitHub, did("closed", true, pulled))},
		"GitHub, a ping":                    {fromGitHub("ping", "{}"), "{}", of(forge.GitHub, forge.Event{Kind: forge.Ping, Delivery: "d-1"})},
		"GitHub, a star":                    {fromGitHub("star", "{}"), "{}", of(forge.GitHub, another)},
		"somebody who signs like GitHub":    {map[string]string{"X-Hub-Signature-256": "sha256=" + mac(key, "x")}, "x", forge.Event{Provider: forge.GitHub, Kind: forge.Push}},
		"GitLab, a push":                    {fromGitLab("Push Hook"), labPushBody, of(forge.GitLab, push)},
		"GitLab, a push of a system hook":   {fromGitLab("System Hook"), labSystemBody, of(forge.GitLab, push)},
		"GitLab, a new tag":                 {fromGitLab("Tag Push Hook"), labTagBody, of(forge.GitLab, created)},
		"GitLab, a merge request":           {fromGitLab("Merge Request Hook"), labPullBody, of(forge.GitLab, did("update", false, pulled))},
		"GitLab, a merge":                   {fromGitLab("Merge Request Hook"), labMergeBody, of(forge.GitLab, did("merge", true, pulled))},
		"GitLab, a note":                    {fromGitLab("Note Hook"), `{"object_kind":"note"}`, of(forge.GitLab, another)},
		"GitLab, a delivery tried again":    {with(fromGitLab("Push Hook"), "Idempotency-Key", "d-1", "X-Gitlab-Event-UUID", "d-2"), labPushBody, of(forge.GitLab, push)},
		"Gitea, a push":                     {fromGitea("push", pushBody), pushBody, of(forge.Gitea, push)},
		"Gitea, a push in a form":           {with(fromGitea("push", form(pushBody)), "Content-Type", formType), form(pushBody), of(forge.Gitea, push)},
		"Gitea, a pull request":             {fromGitea("pull_request", pullBody), pullBody, of(forge.Gitea, did("synchronize", false, pulled))},
		"Gitea, a merge":                    {fromGitea("pull_request", mergedBody), mergedBody, of(forge.Gitea, did("closed", true, pulled))},
		"Gitea, a branch is gone":           {fromGitea("delete", "{}"), "{}", of(forge.Gitea, another)},
		"Forgejo, a push":                   {fromForgejo("push", pushBody), pushBody, of(forge.Gitea, push)},
		"Forgejo with its own headers only": {map[string]string{"X-Forgejo-Event": "push", "X-Forgejo-Delivery": "d-1", "X-Forgejo-Signature": mac(key, pushBody)}, pushBody, of(forge.Gitea, push)},
		"any sender":                        {map[string]string{"X-Signature": "sha256=" + mac(key, "x")}, "x", forge.Event{Kind: forge.Push}},
		"any sender, without the prefix":    {map[string]string{"X-Signature": mac(key, "x")}, "x", forge.Event{Kind: forge.Push}},
		"any sender, nothing in the body":   {map[string]string{"X-Signature": "sha256=" + mac(key, "")}, "", forge.Event{Kind: forge.Push}},
		"any sender, a form that is none":   {map[string]string{"X-Signature": "sha256=" + mac(key, "%zz"), "Content-Type": formType}, "%zz", forge.Event{Kind: forge.Push}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			event, err := forge.Read(header(c.header), []byte(c.body), []byte(key))
			require.NoError(t, err)
			require.Equal(t, c.want, event)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	sha1Of := func(body string) string {
		sum := hmac.New(sha1.New, []byte(key))
		sum.Write([]byte(body))
		return "sha1=" + hex.EncodeToString(sum.Sum(nil))
	}
	own := "sha256=" + mac(key, pushBody)
	wrong := mac("another", pushBody)
	cases := map[string]map[string]string{
		"nothing said at all":                             {},
		"GitHub, not signed":                              with(fromGitHub("push", pushBody), "X-Hub-Signature-256", "-"),
		"GitHub, signed with SHA-1 only":                  with(fromGitHub("push", pushBody), "X-Hub-Signature-256", "-", "X-Hub-Signature", sha1Of(pushBody)),
		"GitHub, SHA-1 where SHA-256 belongs":             with(fromGitHub("push", pushBody), "X-Hub-Signature-256", sha1Of(pushBody)),
		"GitHub, without the prefix":                      with(fromGitHub("push", pushBody), "X-Hub-Signature-256", mac(key, pushBody)),
		"GitHub, another key":                             with(fromGitHub("push", pushBody), "X-Hub-Signature-256", "sha256="+wrong),
		"GitHub, another body":                            fromGitHub("push", goneBody),
		"GitHub, half a signature":                        with(fromGitHub("push", pushBody), "X-Hub-Signature-256", own[:30]),
		"GitHub, an empty signature":                      with(fromGitHub("push", pushBody), "X-Hub-Signature-256", "sha256="),
		"GitHub, signed as any sender":                    with(fromGitHub("push", pushBody), "X-Hub-Signature-256", "-", "X-Signature", own),
		"GitHub, with GitLab's key":                       with(fromGitHub("push", pushBody), "X-Hub-Signature-256", "-", "X-Gitlab-Token", key),
		"GitHub and GitLab at once, both signed":          with(fromGitHub("push", pushBody), "X-Gitlab-Token", key),
		"GitLab, no key":                                  with(fromGitLab("Push Hook"), "X-Gitlab-Token", "-"),
		"GitLab, an empty key":                            with(fromGitLab("Push Hook"), "X-Gitlab-Token", ""),
		"GitLab, another key":                             with(fromGitLab("Push Hook"), "X-Gitlab-Token", key+"x"),
		"GitLab, the beginning of the key":                with(fromGitLab("Push Hook"), "X-Gitlab-Token", key[:5]),
		"GitLab, signed as any sender":                    with(fromGitLab("Push Hook"), "X-Gitlab-Token", "-", "X-Signature", own),
		"GitLab and Gitea at once":                        with(fromGitea("push", pushBody), "X-Gitlab-Token", key),
		"Gitea, not signed as it is":                      with(fromGitea("push", pushBody), "X-Gitea-Signature", "-"),
		"Gitea, without a secret":                         with(fromGitea("push", pushBody), "X-Gitea-Signature", ""),
		"Gitea, another key":                              with(fromGitea("push", pushBody), "X-Gitea-Signature", wrong),
		"Forgejo, one of two signatures wrong":            with(fromForgejo("push", pushBody), "X-Gitea-Signature", wrong),
		"any sender, another key":                         {"X-Signature": "sha256=" + wrong},
		"any sender, a signature that is no number":       {"X-Signature": "sha256=signed"},
		"any sender, an empty signature":                  {"X-Signature": "sha256="},
		"any sender, the key where the signature belongs": {"X-Signature": key},
	}
	for name, headers := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := forge.Read(header(headers), []byte(pushBody), []byte(key))
			require.ErrorIs(t, err, forge.ErrSignature)
		})
	}
	t.Run("two signatures, one wrong", func(t *testing.T) {
		headers := header(map[string]string{"X-Signature": own})
		headers.Add("X-Signature", "sha256="+wrong)
		_, err := forge.Read(headers, []byte(pushBody), []byte(key))
		require.ErrorIs(t, err, forge.ErrSignature)
	})
}

func TestAnEmptyKeyVerifiesNothing(t *testing.T) {
	sum := mac("", pushBody)
	for name, headers := range map[string]map[string]string{
		"GitHub":     {"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sum},
		"GitLab":     {"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": ""},
		"Gitea":      {"X-Gitea-Event": "push", "X-Gitea-Signature": sum},
		"any sender": {"X-Signature": "sha256=" + sum},
	} {
		t.Run(name, func(t *testing.T) {
			for _, key := range [][]byte{nil, {}} {
				_, err := forge.Read(header(headers), []byte(pushBody), key)
				require.ErrorIs(t, err, forge.ErrSignature)
			}
		})
	}
}

func TestReadOfWhatIsNoEvent(t *testing.T) {
	const formType = "application/x-www-form-urlencoded"
	cases := map[string]struct {
		header map[string]string
		body   string
	}{
		"GitHub, no JSON":             {fromGitHub("push", "x"), "x"},
		"GitHub, an empty form":       {with(fromGitHub("push", "a=b"), "Content-Type", formType), "a=b"},
		"GitHub, a form that is none": {with(fromGitHub("push", "%zz"), "Content-Type", formType), "%zz"},
		"GitLab, no JSON":             {fromGitLab("Push Hook"), "x"},
		"Gitea, a list":               {fromGitea("pull_request", "[]"), "[]"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			event, err := forge.Read(header(c.header), []byte(c.body), []byte(key))
			require.Error(t, err)
			require.NotErrorIs(t, err, forge.ErrSignature)
			require.Equal(t, forge.Event{}, event)
		})
	}
}

// What is read by name is what the clients' own types call so.
func TestReadAgreesWithTheClients(t *testing.T) {
	write := func(v any) string {
		body, err := json.Marshal(v)
		require.NoError(t, err)
		return string(body)
	}
	read := func(headers map[string]string, body string) forge.Event {
		event, err := forge.Read(header(headers), []byte(body), []byte(key))
		require.NoError(t, err)
		return event
	}
	text := func(s string) *string { return &s }
	seven, yes := 7, true

	body := write(github.PushEvent{Ref: text("refs/heads/main"), Before: text(older), After: text(commit)})
	require.Equal(t, forge.Event{Provider: forge.GitHub, Kind: forge.Push, Ref: "refs/heads/main", Before: older, After: commit, Delivery: "d-1"}, read(fromGitHub("push", body), body))
	body = write(github.PullRequestEvent{Action: text("closed"), Number: &seven, PullRequest: &github.PullRequest{
		Merged: &yes, Head: &github.PullRequestBranch{SHA: text(commit)}, Base: &github.PullRequestBranch{Ref: text("main")},
	}})
	merged := forge.Event{Provider: forge.GitHub, Kind: forge.Pull, Ref: "refs/heads/main", After: commit, Pull: 7, Merged: true, Action: "closed", Delivery: "d-1"}
	require.Equal(t, merged, read(fromGitHub("pull_request", body), body))

	body = write(map[string]any{"action": "closed", "number": 7, "pull_request": gitea.PullRequest{
		HasMerged: true, Head: &gitea.PRBranchInfo{Sha: commit}, Base: &gitea.PRBranchInfo{Ref: "main"},
	}})
	merged.Provider = forge.Gitea
	require.Equal(t, merged, read(fromGitea("pull_request", body), body))

	body = write(gitlab.PushEvent{ObjectKind: "push", Ref: "refs/heads/main", Before: older, After: commit})
	require.Equal(t, forge.Event{Provider: forge.GitLab, Kind: forge.Push, Ref: "refs/heads/main", Before: older, After: commit, Delivery: "d-1"}, read(fromGitLab("Push Hook"), body))
	body = write(gitlab.MergeEvent{ObjectKind: "merge_request", ObjectAttributes: gitlab.MergeEventObjectAttributes{
		IID: 7, Action: "merge", TargetBranch: "main", LastCommit: gitlab.EventMergeRequestLastCommit{ID: commit},
	}})
	merged.Provider, merged.Action = forge.GitLab, "merge"
	require.Equal(t, merged, read(fromGitLab("Merge Request Hook"), body))
}

// No request is read unless it is signed in the way of the sender that it claims.
func FuzzRead(f *testing.F) {
	f.Add("X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256="+mac(key, pushBody), "application/json", pushBody)
	f.Add("X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256="+mac(key, form(pullBody)), "application/x-www-form-urlencoded", form(pullBody))
	f.Add("X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", key, "application/json", labPullBody)
	f.Add("X-Gitea-Event", "pull_request", "X-Gitea-Signature", mac(key, mergedBody), "application/json", mergedBody)
	f.Add("X-Forgejo-Event", "push", "X-Forgejo-Signature", mac(key, "{}"), "", "{}")
	f.Add("X-Other", "", "X-Signature", mac(key, ""), "", "")
	f.Add("X-GitHub-Event", "push", "X-Signature", mac(key, "{}"), "", "{}")
	f.Fuzz(func(t *testing.T, name, value, signature, signed, contentType, body string) {
		headers := http.Header{}
		headers.Set(name, value)
		headers.Set(signature, signed)
		headers.Set("Content-Type", contentType)
		event, err := forge.Read(headers, []byte(body), []byte(key))
		if err != nil {
			require.Equal(t, forge.Event{}, event)
			return
		}
		sum := mac(key, body)
		want := map[forge.Provider]bool{
			forge.GitHub: headers.Get("X-Hub-Signature-256") != "" && strings.EqualFold(headers.Get("X-Hub-Signature-256"), "sha256="+sum),
			forge.GitLab: headers.Get("X-Gitlab-Token") == key,
			forge.Gitea:  strings.EqualFold(headers.Get("X-Gitea-Signature")+headers.Get("X-Forgejo-Signature"), sum) || headers.Get("X-Gitea-Signature") != "" && strings.EqualFold(headers.Get("X-Forgejo-Signature"), sum),
			"":           strings.EqualFold(strings.TrimPrefix(headers.Get("X-Signature"), "sha256="), sum),
		}
		require.True(t, want[event.Provider], "%v accepted as %q", headers, event.Provider)
	})
}
