package gitrepo

import (
	"path/filepath"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/stretchr/testify/require"
)

func TestParseCommit(t *testing.T) {
	for in, want := range map[string]string{
		"4f2c9e1": "4f2c9e1",
		"4F2C9E1": "4f2c9e1",
		"main@sha1:4f2c9e1a0b3c4f2c9e1a0b3c4f2c9e1a0b3c4f2c": "4f2c9e1a0b3c4f2c9e1a0b3c4f2c9e1a0b3c4f2c",
		"refs/heads/a@b@sha1:4f2c9e1":                        "4f2c9e1",
	} {
		got, err := ParseCommit(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, in := range []string{"", "4f2c9e", "main", "4f2c9e1 ", "v1.2.3", "4f2c9e1g"} {
		_, err := ParseCommit(in)
		require.ErrorContains(t, err, "expected a commit", in)
	}
}

func TestRepositoryName(t *testing.T) {
	for url, want := range map[string]string{
		"https://git.example/team/prod.git": "prod",
		"git@git.example:team/Prod_Apps":    "prod-apps",
		"git@git.example:prod.git":          "prod",
		"/srv/repos/prod/":                  "prod",
		"/":                                 "repo",
	} {
		require.Equal(t, want, RepositoryName(url), url)
	}
}

func TestGitAuth(t *testing.T) {
	auth, err := CredentialData(func(string) string { return "" })
	require.NoError(t, err)
	require.Empty(t, auth)

	env := map[string]string{"ACCORD_GIT_USERNAME": "ci", "ACCORD_GIT_PASSWORD": "pw"}
	auth, err = CredentialData(func(name string) string { return env[name] })
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{"username": []byte("ci"), "password": []byte("pw")}, auth)

	env["ACCORD_GIT_SSH_KEY"] = "/does/not/exist"
	_, err = CredentialData(func(name string) string { return env[name] })
	require.ErrorContains(t, err, "$ACCORD_GIT_SSH_KEY")
}

func TestSameRepository(t *testing.T) {
	for _, url := range []string{
		"https://git.example/team/prod", "https://x-access-token:secret@git.example/team/prod.git", "git@git.example:team/prod.git",
		"ssh://git@git.example:22/team/prod", "https://GIT.example/team/prod/",
	} {
		require.True(t, SameRepository("https://git.example/team/prod.git", url), url)
		require.NotContains(t, DisplayURLs([]string{url})[0], "secret")
	}
	require.False(t, SameRepository("https://git.example/team/prod", "https://git.example/team/next"))
	require.False(t, SameRepository("https://git.example/team/prod", "https://other.example/team/prod"))
}

func TestServes(t *testing.T) {
	dir := t.TempDir()
	repo, err := git.PlainInit(dir, false)
	require.NoError(t, err)
	_, err = repo.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{"git@git.example:team/prod"}})
	require.NoError(t, err)
	h, err := Open(dir)
	require.NoError(t, err)
	require.True(t, h.Serves("https://git.example/team/prod.git"), "its remote")
	require.True(t, h.Serves(dir), "its directory")
	require.False(t, h.Serves("https://git.example/team/next"))
	require.False(t, h.Serves(filepath.Dir(dir)))
	require.False(t, h.Serves("."), "a URL of a source is never relative")
	require.False(t, (*Repository)(nil).Serves(dir))
}
