package load

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/source"
)

// TestHostileSourceGetsNoCredentials: the host of a source gets the credentials of the pipeline only if they belong to it.
func TestHostileSourceGetsNoCredentials(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	record := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
	})
	plain, secure := httptest.NewServer(record), httptest.NewTLSServer(record)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600))
	t.Setenv("ACCORD_GIT_CA", ca)
	t.Setenv("ACCORD_GIT_USERNAME", "ci-bot")
	t.Setenv("ACCORD_GIT_PASSWORD", "the-token")

	fetch := func(t *testing.T, url, repo, host string) (string, error) {
		t.Setenv(gitrepo.HostEnv, host)
		sent = nil
		f := &Flags{Repo: repo, cacheDir: t.TempDir()}
		_, err := f.Fetch(t.Context(), v1alpha1.Source{URL: url, Insecure: true}, nil)
		require.ErrorIs(t, err, source.ErrAuth)
		require.NotEmpty(t, sent, "the server was asked")
		return sent[0], err
	}
	at := strings.TrimPrefix(secure.URL, "https://")
	for name, c := range map[string]struct {
		url, repo, host string
		sent            bool
	}{
		"a host of nobody":                  {url: secure.URL + "/x.git"},
		"another host than --repo":          {url: secure.URL + "/x.git", repo: "https://git.example/prod"},
		"another port":                      {url: secure.URL + "/x.git", host: "127.0.0.1"},
		"the host of --repo":                {url: secure.URL + "/x.git", repo: secure.URL + "/prod", sent: true},
		"$ACCORD_GIT_HOST":                  {url: secure.URL + "/x.git", host: "git.example, " + at, sent: true},
		"$ACCORD_GIT_HOST is another":       {url: secure.URL + "/x.git", repo: secure.URL + "/prod", host: "git.example"},
		"http to the host of --repo":        {url: plain.URL + "/x.git", repo: plain.URL + "/prod"},
		"http to the host of the variables": {url: plain.URL + "/x.git", host: strings.TrimPrefix(plain.URL, "http://")},
	} {
		t.Run(name, func(t *testing.T) {
			header, err := fetch(t, c.url, c.repo, c.host)
			require.Equal(t, c.sent, header != "", "Authorization: %s", header)
			require.Equal(t, !c.sent, strings.Contains(err.Error(), "set ACCORD_GIT_HOST"), "%v", err)
		})
	}
}
