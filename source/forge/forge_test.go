package forge_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source/forge"
)

func TestNewRefuses(t *testing.T) {
	const url = "https://github.com/acme/fleet"
	cases := map[string]struct {
		options forge.Options
		message string
	}{
		"no URL":                          {forge.Options{Token: token}, "not"},
		"a path on this machine":          {forge.Options{URL: "/srv/fleet.git", Token: token}, "https or ssh, not file"},
		"git's own protocol":              {forge.Options{URL: "git://github.com/acme/fleet", Token: token}, "https or ssh, not git"},
		"only an owner":                   {forge.Options{URL: "https://github.com/acme", Token: token}, "owner/name"},
		"a way out of the path":           {forge.Options{URL: "https://github.com/acme/../fleet", Token: token}, "does not name a repository"},
		"a query":                         {forge.Options{URL: "https://github.com/acme/fleet?x=1", Token: token}, "does not name a repository"},
		"groups at GitHub":                {forge.Options{URL: "https://github.com/acme/platform/fleet", Token: token}, "must be owner/name"},
		"groups at Gitea, by ssh":         {forge.Options{URL: "git@codeberg.org:acme/platform/fleet", Token: token}, "must be owner/name"},
		"a host without a hint":           {forge.Options{URL: "https://git.example/acme/fleet", Token: token}, "set github, gitlab or gitea"},
		"a host with two hints":           {forge.Options{URL: "https://my-github-gitlab.example/acme/fleet", Token: token}, "set github, gitlab or gitea"},
		"a provider that is not known":    {forge.Options{URL: url, Provider: "bitbucket", Token: token}, `unknown provider "bitbucket"`},
		"no token":                        {forge.Options{URL: url}, "a token is needed"},
		"a token of space":                {forge.Options{URL: url, Token: " \n"}, "a token is needed"},
		"an API that is no URL":           {forge.Options{URL: url, Token: token, APIURL: "api.github.com"}, "URL of the API"},
		"an API with credentials":         {forge.Options{URL: url, Token: token, APIURL: "https://u:" + token + "@api.github.com"}, "URL of the API"},
		"a CA that is none":               {forge.Options{URL: url, Token: token, CA: []byte("-----BEGIN")}, "no certificate"},
		"a password in a URL that is bad": {forge.Options{URL: "https://u:" + token + "@github.com/%zz", Token: token}, "malformed URL"},
		"a password for a bad path":       {forge.Options{URL: "https://u:" + token + "@github.com/acme", Token: token}, "owner/name"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := forge.New(c.options)
			require.ErrorContains(t, err, c.message)
			requireNoToken(t, err.Error())
		})
	}
}

func TestOptionsShowNoToken(t *testing.T) {
	o := forge.Options{URL: "https://u:" + token + "@github.com/acme/fleet", Token: token}
	requireNoToken(t, fmt.Sprintf("%v %+v %#v %s", o, o, o, o))
	requireNoToken(t, fmt.Sprintf("%v %+v", &o, struct{ O forge.Options }{o}))
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("options", "options", o)
	requireNoToken(t, log.String())
	written, err := json.Marshal(forge.Options{URL: "https://github.com/acme/fleet", Token: token})
	require.NoError(t, err)
	requireNoToken(t, string(written))
}

func TestTokenDoesNotGoElsewhere(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		for _, code := range []int{301, 302, 307, 308} {
			var reached int
			elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
			t.Cleanup(elsewhere.Close)
			h := newHost(t, provider)
			h.refuse = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+r.URL.EscapedPath(), code)
			}
			_, err := h.forge(t).Comment(t.Context(), pull, marker, plan)
			require.ErrorContains(t, err, "redirects to http://"+hostOf(t, elsewhere.URL))
			requireNoToken(t, err.Error())
			require.Error(t, h.forge(t).Report(t.Context(), commit, forge.Status{Context: "accord/plan", State: forge.Success}))
			require.Zero(t, reached)
		}
	})
}

// A renamed repository: 307 keeps a write, 301 would make a read of it.
func TestRenamed(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider)
		now := h.server.Config.Handler
		var code int
		h.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path := r.URL.EscapedPath(); strings.Contains(path, "former") {
				http.Redirect(w, r, strings.Replace(path, "former", "fleet", 1), code)
				return
			}
			now.ServeHTTP(w, r)
		})
		o := h.options()
		o.URL = strings.Replace(o.URL, "fleet", "former", 1)
		f, err := forge.New(o)
		require.NoError(t, err)
		status := forge.Status{Context: "accord/plan", State: forge.Success}
		code = http.StatusTemporaryRedirect
		require.NoError(t, f.Report(t.Context(), commit, status))
		require.Len(t, h.statuses, 1)
		code = http.StatusMovedPermanently
		require.ErrorContains(t, f.Report(t.Context(), commit, status), "redirects a write")
		require.Len(t, h.statuses, 1)
	})
}

func TestCertificates(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider)
		secure := httptest.NewUnstartedServer(h.server.Config.Handler)
		secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		secure.StartTLS()
		t.Cleanup(secure.Close)
		o := h.options()
		o.URL = secure.URL + "/" + h.path
		status := forge.Status{Context: "accord/plan", State: forge.Success}

		f, err := forge.New(o)
		require.NoError(t, err)
		require.ErrorContains(t, f.Report(t.Context(), commit, status), "certificate")

		o.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
		f, err = forge.New(o)
		require.NoError(t, err)
		require.NoError(t, f.Report(t.Context(), commit, status))
	})
}

func TestTimeout(t *testing.T) {
	everyForge(t, func(t *testing.T, provider forge.Provider) {
		h := newHost(t, provider)
		late := make(chan struct{})
		t.Cleanup(func() { close(late) }) // before the server waits for its handlers
		h.refuse = func(http.ResponseWriter, *http.Request) { <-late }
		o := h.options()
		o.Timeout = 50 * time.Millisecond
		f, err := forge.New(o)
		require.NoError(t, err)
		start := time.Now()
		require.Error(t, f.Report(t.Context(), commit, forge.Status{Context: "accord/plan", State: forge.Success}))
		require.Less(t, time.Since(start), 10*time.Second)
		require.Len(t, h.asked(), 1, "nothing is tried again")
	})
}
