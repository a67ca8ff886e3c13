package reconciler

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const hookKey = "it is a secret"

// hookAt is a push hook as it is served, and what it passes on. The federation "demo/prod" accepts pushes, "demo/empty" has
// a secret without a token, "demo/broken" one that cannot be read.
func hookAt(t *testing.T) (url string, pushed *[]string) {
	t.Helper()
	pushed = &[]string{}
	keys := map[string]string{"demo/prod": hookKey, "demo/empty": ""}
	mux := http.NewServeMux()
	mux.Handle(hookPattern, pushHook{
		key: func(_ context.Context, namespace, name string) ([]byte, error) {
			if name == "broken" {
				return nil, errors.New("the hub does not answer")
			}
			key, ok := keys[namespace+"/"+name]
			if !ok {
				return nil, errNoHook
			}
			return []byte(key), nil
		},
		pushed: func(_ context.Context, namespace, name string) error {
			*pushed = append(*pushed, namespace+"/"+name)
			return nil
		},
		log: slog.New(slog.DiscardHandler),
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL, pushed
}

func signature(key, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func TestPushHook(t *testing.T) {
	const push = `{"ref":"refs/heads/main","deleted":false}`
	form := "payload=" + url.QueryEscape(push)
	deletion := `{"ref":"refs/heads/old","deleted":true}`
	generic := func(key, body string) map[string]string {
		return map[string]string{"X-Signature": signature(key, body)}
	}
	github := func(event, body string) map[string]string {
		return map[string]string{"X-GitHub-Event": event, "X-Hub-Signature-256": signature(hookKey, body)}
	}
	for name, c := range map[string]struct {
		federation string
		body       string
		header     map[string]string
		status     int
		look       bool
	}{
		"any sender, signed":                       {"demo/prod", "whatever", generic(hookKey, "whatever"), 202, true},
		"any sender, signed, without a body":       {"demo/prod", "", generic(hookKey, ""), 202, true},
		"a signature without its prefix":           {"demo/prod", "x", map[string]string{"X-Signature": signature(hookKey, "x")[len("sha256="):]}, 202, true},
		"GitHub, a push":                           {"demo/prod", push, github("push", push), 202, true},
		"GitHub, a push in a form":                 {"demo/prod", form, github("push", form), 202, true},
		"GitHub, a ping":                           {"demo/prod", "{}", github("ping", "{}"), 202, false},
		"GitHub, a deleted branch":                 {"demo/prod", deletion, github("push", deletion), 202, false},
		"GitHub, another event":                    {"demo/prod", push, github("issues", push), 202, false},
		"GitHub, a ping that is not signed":        {"demo/prod", "{}", map[string]string{"X-GitHub-Event": "ping"}, 403, false},
		"signed with another key":                  {"demo/prod", "x", generic("another", "x"), 403, false},
		"another body was signed":                  {"demo/prod", "x", generic(hookKey, "y"), 403, false},
		"not signed":                               {"demo/prod", "x", nil, 403, false},
		"a signature that is no number":            {"demo/prod", "x", map[string]string{"X-Signature": "sha256=signed"}, 403, false},
		"an empty signature":                       {"demo/prod", "x", map[string]string{"X-Signature": "sha256="}, 403, false},
		"an empty key signs nothing":               {"demo/empty", "x", generic("", "x"), 403, false},
		"no such federation":                       {"demo/nothing", "x", generic(hookKey, "x"), 403, false},
		"the secret cannot be read":                {"demo/broken", "x", generic(hookKey, "x"), 503, false},
		"a body as large as it may be":             {"demo/prod", large(maxHookBody), generic(hookKey, large(maxHookBody)), 202, true},
		"a body that is too large, however signed": {"demo/prod", large(maxHookBody + 1), generic(hookKey, large(maxHookBody+1)), 413, false},
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

func large(size int) string { return strings.Repeat("x", size) }

// Who asks for a federation that does not exist learns nothing that a wrong signature would not have told.
func TestPushHookTellsNothing(t *testing.T) {
	at, _ := hookAt(t)
	forged := map[string]string{"X-Signature": signature("another", "x")}
	wrongStatus, wrongAnswer := post(t, at+"/hook/demo/prod", "x", forged)
	for _, federation := range []string{"demo/nothing", "demo/empty", "nowhere/prod"} {
		status, answer := post(t, at+"/hook/"+federation, "x", forged)
		require.Equal(t, wrongStatus, status, federation)
		require.Equal(t, wrongAnswer, answer, federation)
	}
}

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
